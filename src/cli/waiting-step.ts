import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError } from '../core/errors.ts'
import { entriesOf } from '../core/pipeline.ts'
import { type StoredRecord, stepKey, WAITS_FOR, type WaitReason } from '../core/run.ts'
import { answerCommands } from '../runs/answer-commands.ts'
import { describeRun, type RunDescription, type StepDescription } from '../runs/describe-run.ts'
import { unknownRun } from '../runs/recorded-run.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { personsWantedWithin } from '../status/runs-status.ts'
import type { PersonWanted } from '../status/status-report.ts'
import { describeDecision } from './views/describe-decision.ts'

/** What people write for a step execution: see `stepKey`. */
const EXECUTION = /^[a-zA-Z]\w*(?:\[.+\](?:\.[a-zA-Z]\w*)?)?$/

/**
 * The step of a run that waits for a person, by the name that people write. Otherwise throws an AudienceError of the
 * kind `usage` that says why it does not wait: the run has no such step, the run has ended, the step has its decision,
 * or it does something else.
 */
export async function waitingStep(
  runs: RunHistory,
  row: RunRow,
  name: string,
  reason: WaitReason,
): Promise<StepDescription> {
  if (!EXECUTION.test(name)) throw notAStep(name)
  const records = await runs.records(row.runId)
  if (records.length === 0) throw unknownRun(row.runId)
  const run = describeRun(row, records)
  const step = run.steps.find((one) => stepKey(one) === name)
  if (step?.waitsFor === reason && run.finishedAt === undefined) return step
  const wanted = run.finishedAt === undefined ? await personsWantedWithin(row, runs) : []
  const below = wanted.filter(({ runId }) => runId !== row.runId)
  throw notWaiting(run, { step, name, reason, ids: await stepIdsOf(records), below })
}

/** The ids of the steps that the run's document has. */
async function stepIdsOf([first]: readonly StoredRecord[]): Promise<readonly string[]> {
  if (first?.record.type !== 'run.submitted') return []
  const { readPipeline } = await import('../daemon/documents/read-pipeline.ts')
  return entriesOf(readPipeline(first.record)).map(({ id }) => id)
}

function notAStep(text: string): AudienceError {
  return new AudienceError({
    code: 'bad-step',
    kind: 'usage',
    message: `"${text}" is no step`,
    hint: "write its id, such as activate, 'each[3]' or 'audience[seg07].release'",
  })
}

function notWaiting(
  run: RunDescription,
  wanted: {
    readonly step: StepDescription | undefined
    readonly name: string
    readonly reason: WaitReason
    readonly ids: readonly string[]
    readonly below: readonly PersonWanted[]
  },
): AudienceError {
  const { step, name, reason, ids, below } = wanted
  const waiting = run.steps.filter(({ waitsFor }) => waitsFor === reason).map(stepKey)
  const show = below.map(answerBelow).join('; ') || `\`audience runs show ${run.runId}\` tells what it does`
  const usage = (code: string, message: string, hint: string) =>
    new AudienceError({ code, kind: 'usage', message, hint })
  const decided = step?.decisions.at(-1)
  if (decided && step?.waitsFor === undefined)
    return usage(
      'already-decided',
      `step "${name}" of run ${run.runId} has its decision already: ${describeDecision(decided)}`,
      show,
    )
  if (run.finishedAt !== undefined)
    return usage(
      'run-ended',
      `run ${run.runId} has ended: ${run.status}`,
      `\`audience runs show ${run.runId}\` shows it`,
    )
  if (!step) {
    const known = [...new Set([...run.steps.map(stepKey), ...ids])]
    const others = waiting.length > 0 ? `it waits for ${WAITS_FOR[reason]} at ${waiting.join(', ')}` : show
    return ids.includes(name)
      ? usage('not-waiting', `step "${name}" of run ${run.runId} has not begun`, others)
      : usage(
          'unknown-step',
          `run ${run.runId} has no step "${name}"`,
          // The step of another item is never what was meant.
          (name.includes('[') || below.length > 0 ? undefined : didYouMean(name, known)) ?? others,
        )
  }
  const does = step.waitsFor
    ? `waits for ${WAITS_FOR[step.waitsFor]}, not for ${WAITS_FOR[reason]}`
    : `does not wait: ${step.status}`
  const hint = step.waitsFor ? answerCommands(run.runId, step).join(', or ') : show
  return usage('not-waiting', `step "${name}" of run ${run.runId} ${does}`, hint)
}

function answerBelow(wanted: PersonWanted): string {
  return `run ${wanted.runId}, which it started, waits at ${stepKey(wanted)}: ${wanted.commands.join(', or ')}`
}
