import {
  backfillSlots,
  type MadeBackfill,
  type SlotPeriod,
  slotPeriod,
  withdrawSlots,
} from '../../acts/backfill-slots.ts'
import { AudienceError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { triggerName } from '../../core/occurrence.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { readTime, timeOf } from '../parse-time.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withState } from '../with-state.ts'
import { type FoundAfter, type FoundSchedule, findSchedules } from './find-schedules.ts'
import { writeSlot } from './write-time.ts'

export interface BackfillFlags extends SignFlags {
  readonly from: string
  readonly to: string
  readonly onlyMissing?: true
  readonly withdraw?: true
}

const WORDS = { from: '--from', to: '--to' } as const

/** The maximum number of slots of one schedule that are shown. */
const MAX_NAMED = 20

interface Meant {
  readonly schedule: FoundSchedule
  readonly period: SlotPeriod
}

function noSlots(afters: readonly FoundAfter[]): AudienceError {
  const [after] = afters
  return new AudienceError({
    code: 'no-slots',
    kind: 'usage',
    message: `${afters.map(({ ref }) => triggerName(ref)).join(', ')} has no slots: it comes after other pipelines`,
    hint: after && `backfill those, or run it by hand: audience run ${shellWord(after.file)}`,
  })
}

/** Makes the slots of a period due; with `withdraw`, skips those that are due. */
export async function backfillSchedules(name: string, flags: BackfillFlags, terminal: Terminal): Promise<number> {
  const [from, to] = [readTime(flags.from, WORDS.from), readTime(flags.to, WORDS.to)]
  const { settings, schedules, afters } = await findSchedules(name, terminal)
  if (schedules.length === 0) throw noSlots(afters)
  const now = terminal.surroundings.clock.now()
  const meant = schedules.map((schedule) => {
    // Each schedule uses its own clock: a day in New York is not the same as a day in Tokyo.
    const ends = { from: timeOf(schedule, from), to: timeOf(schedule, to) }
    return { schedule, period: slotPeriod(ends, now, WORDS) }
  })
  const act = flags.withdraw ? withdraw : backfill
  return withState(terminal, ({ occurrences }) => act(meant, flags, occurrences, terminal), settings)
}

async function backfill(
  meant: readonly Meant[],
  flags: BackfillFlags,
  occurrences: OccurrenceStore,
  terminal: Terminal,
): Promise<number> {
  const options = { onlyMissing: flags.onlyMissing === true, actor: signedBy(flags, terminal) }
  const done = await backfillSlots(meant, options, { occurrences, clock: terminal.surroundings.clock })
  for (const { schedule, backfill: made } of done) {
    terminal.out.write(`${describe(schedule, made)}${await paused(schedule, occurrences)}\n`)
    const times = made.due.map(({ at }) => at)
    writeSlots(schedule, times, terminal)
  }
  if (done.some(({ backfill: { due } }) => due.length > 0))
    terminal.out.write('`audience start` runs them, oldest first; `audience schedule list` shows their outcomes\n')
  return 0
}

async function withdraw(
  meant: readonly Meant[],
  flags: BackfillFlags,
  occurrences: OccurrenceStore,
  terminal: Terminal,
): Promise<number> {
  const actor = signedBy(flags, terminal)
  for (const { schedule, period } of meant) {
    const due = await withdrawSlots(schedule.ref, { period, actor }, { occurrences })
    terminal.out.write(
      `${triggerName(schedule.ref)}: ${count(due.length, 'slot')} that ${due.length === 1 ? 'was' : 'were'} due will not run\n`,
    )
    writeSlots(schedule, due.toReversed(), terminal)
  }
  return 0
}

/** Shows slots, so that a person sees at once if another day was meant. */
function writeSlots(schedule: FoundSchedule, slots: readonly number[], { out }: Terminal): void {
  const shown = slots.length > MAX_NAMED ? slots.slice(0, MAX_NAMED - 1) : slots
  for (const at of shown) out.write(`  ${writeSlot(schedule, at)}\n`)
  const last = slots.at(-1)
  if (shown.length < slots.length && last !== undefined) {
    out.write(`  and ${slots.length - shown.length} more, the last one ${writeSlot(schedule, last)}\n`)
  }
}

function describe({ ref }: FoundSchedule, { due, waiting, ran, excluded, taken }: MadeBackfill): string {
  const facts = [
    `${count(due.length, 'slot is', 'slots are')} due now`,
    ...(taken > 0 ? [`another process took ${count(taken, 'slot')} at this moment`] : []),
    ...(waiting > 0 ? [`${count(waiting, 'was', 'were')} due already`] : []),
    ...(ran > 0 ? [`${count(ran, 'has', 'have')} a run`] : []),
    ...(excluded > 0 ? [`${count(excluded, 'is', 'are')} on excluded days`] : []),
  ]
  return `${triggerName(ref)}: ${facts.join(', ')}`
}

async function paused({ ref }: FoundSchedule, occurrences: OccurrenceStore): Promise<string> {
  const isPaused = (await occurrences.memory(ref))?.pausedAt !== undefined
  return isPaused ? `; it is paused: they wait until \`audience schedule resume ${triggerName(ref)}\`` : ''
}
