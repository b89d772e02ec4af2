import { elapsedMs, formatDuration } from '../../core/duration.ts'
import { stringifyJson } from '../../core/json.ts'
import { printableData, printableJson } from '../../core/printable.ts'
import { stepKey } from '../../core/run.ts'
import { describeService, syntheticNote } from '../../core/service-ref.ts'
import { describeRun, type RunDescription, type StepDescription } from '../../runs/describe-run.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import type { Terminal } from '../terminal.ts'
import { describeOutputs } from '../views/describe-outputs.ts'
import { describeTook } from '../views/describe-took.ts'
import { renderReport } from '../views/render-report.ts'
import { type Style, styleFor } from '../views/style.ts'
import { findRun } from '../with-history.ts'

/** Prints a run as a timeline or as one JSON object. */
export function showRun(runId: string, { json }: { readonly json?: true }, terminal: Terminal): Promise<number> {
  return lookAtRuns(terminal, (journal) => {
    const run = describeRun(findRun(journal, runId), journal.records(runId))
    const text = json
      ? printableJson(stringifyJson(run))
      : timeline(printableData(run), styleFor(terminal.out)).join('\n')
    terminal.out.write(`${text}\n`)
    return 0
  })
}

function timeline(run: RunDescription, style: Style): string[] {
  const start = Date.parse(run.submittedAt)
  return [
    `${style('bold', run.runId)}  ${run.status}  ${run.pipeline} (${run.file})`,
    `submitted ${run.submittedAt}${run.finishedAt ? `, ended ${run.finishedAt}` : ''}${run.owner ? `, ${run.owner}` : ''}`,
    `service ${describeService(run)}${syntheticNote(run)}`,
    ...(run.git ? [`commit ${run.git.commit}${run.git.dirty ? ', but the document differed from it' : ''}`] : []),
    ...(run.seededFrom ? [`what succeeded in ${run.seededFrom} was not done again`] : []),
    ...(run.lastRun ? [`last is run ${run.lastRun}`] : []),
    '',
    ...run.steps.flatMap((step) => stepLines(step, start, style)),
    ...(run.error ? ['', ...renderReport(run.error, style)] : []),
    ...Object.entries(run.outputs ?? {}).map(
      ([name, value]) => `  ${name}: ${typeof value === 'string' ? value : stringifyJson(value)}`,
    ),
  ]
}

function stepLines(step: StepDescription, start: number, style: Style): string[] {
  const name = stepKey(step)
  const facts = [step.status, describeTook(step), describeOutputs(step.outputs)]
  const offset = (at: string) => style('dim', `+${formatDuration(elapsedMs(start, Date.parse(at)))}`.padStart(12))
  return [
    `${offset(step.startedAt)}  ${name}  ${facts.filter(Boolean).join(', ')}`,
    ...step.attempts.slice(1).map(({ attempt, startedAt }) => `${offset(startedAt)}    attempt ${attempt}`),
    ...step.jobs.map(({ jobId, status, at }) => `${offset(at)}    job ${jobId} ${status}`),
    ...step.decisions.map(({ decision, at }) => `${offset(at)}    decided: ${decision}`),
    ...(step.error ? renderReport(step.error, style).map((line) => `${' '.repeat(14)}${line}`) : []),
  ]
}
