import { formatDuration } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'
import { triggerName } from '../../core/occurrence.ts'
import { printableData } from '../../core/printable.ts'
import type { Simulation } from '../../rehearsal/simulation/simulation-schema.ts'
import {
  figureChanges,
  headText,
  latestText,
  livedText,
  peakText,
  problemsText,
  problemText,
  queueText,
  slotChanges,
} from './describe-simulation.ts'
import { cell, codeTag } from './plan-markdown.ts'

/**
 * A simulation for a comment on a pull request. It is the same for the same documents and days. Compared with a base,
 * it shows only the differences.
 */
export function simulationMarkdown(given: Simulation): string[] {
  const simulation = printableData(given)
  const { changes } = simulation
  return [
    '### Simulation of schedules',
    '',
    ...(changes ? differences(changes) : whole(simulation)),
    `<sub>${cell(headText(simulation))} ${cell(livedText(simulation))}</sub>`,
    '',
  ]
}

function differences({ since, schedules }: NonNullable<Simulation['changes']>): string[] {
  const differ = count(schedules.length, 'schedule differs', 'schedules differ')
  if (schedules.length === 0) return [`**No schedule differs from ${codeTag(since)}.**`, '']
  return [
    `**${differ} from ${codeTag(since)}.**`,
    '',
    '| schedule | slots | what happens to them on the days run in full |',
    '|---|---|---|',
    ...schedules.map((one) => row([codeTag(triggerName(one)), lines(slotChanges(one)), lines(figureChanges(one))])),
    '',
  ]
}

function whole({ schedules, problems, clockChanges, peak, queue, without }: Simulation): string[] {
  return [
    ...(schedules.length === 0
      ? ['**No document has a schedule.**', '']
      : [
          `**${problems.length === 0 ? 'No problem on the days run in full.' : `Problems: ${cell(summary(problems))}.`}**`,
          '',
          '| schedule | slots | run | ok | problems | latest end | waited |',
          '|---|---|---|---|---|---|---|',
          ...schedules.map((one) =>
            row([
              codeTag(triggerName(one)),
              ...[one.slots, one.lived, one.fates.ran ?? 0].map(String),
              cell(problemsText(one)),
              cell(latestText(one)),
              one.longestWait ? formatDuration(one.longestWait.waitedMs) : '',
            ]),
          ),
          '',
        ]),
    ...list(problems.map((one) => `**${one.kind}** ${codeTag(triggerName(one))}: ${cell(problemText(one))}`)),
    ...list(
      clockChanges.map(
        ({ date, timezone, before, after, slots }) =>
          `clocks change on ${date}, ${cell(timezone)}: ${cell(before)} is followed by ${cell(after)}; ${count(slots.length, 'slot')} near it`,
      ),
    ),
    ...list([
      ...(peak ? [`busiest minute: ${cell(peakText(peak))}`] : []),
      ...(queue ? [`longest queue: ${cell(queueText(queue))}`] : []),
    ]),
    ...list(without.map(({ pipeline, why }) => `${codeTag(pipeline)} without slots: ${cell(why)}`)),
  ]
}

function summary(problems: Simulation['problems']): string {
  const counts = new Map<string, number>()
  for (const { kind, slots } of problems) counts.set(kind, (counts.get(kind) ?? 0) + slots)
  return [...counts].map(([kind, slots]) => `${slots} ${kind}`).join(', ')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function lines(texts: readonly string[]): string {
  return texts.map(cell).join('<br>')
}

function list(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [...items.map((item) => `- ${item}`), '']
}
