import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError } from '../core/errors.ts'
import { type StepRef, type StoredRecord, stepKey, type WaitReason } from '../core/run.ts'
import { describeRun, type RunDescription, type StepDescription } from '../runs/describe-run.ts'
import { unknownRun } from '../runs/recorded-run.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { describeDecision } from './views/describe-decision.ts'

/** A step execution as people write it: `activate`, or `each[3]`. */
export function parseStepRef(text: string): StepRef {
  const match = /^([a-zA-Z]\w*)(?:\[(\d{1,6})\])?$/.exec(text)
  if (match?.[1] !== undefined) return { step: match[1], ...(match[2] !== undefined && { index: Number(match[2]) }) }
  throw new AudienceError({
    code: 'bad-step',
    kind: 'usage',
    message: `"${text}" is no step`,
    hint: 'write its id, such as activate or each[3]',
  })
}

/** The words for what a step can wait for. */
const WAITS = { approval: 'an approval', decision: 'a decision' } as const satisfies Record<WaitReason, string>

/**
 * The step of a run that waits for a person. Otherwise throws an AudienceError of the kind `usage` that says why it does
 * not wait: the run has no such step, the run has ended, the step has its decision, or it does something else.
 */
export async function waitingStep(
  runs: Pick<RunHistory, 'records'>,
  row: RunRow,
  ref: StepRef,
  reason: WaitReason,
): Promise<StepDescription> {
  const records = await runs.records(row.runId)
  if (records.length === 0) throw unknownRun(row.runId)
  const run = describeRun(row, records)
  const step = run.steps.find((one) => one.step === ref.step && one.index === ref.index)
  if (step?.waitsFor === reason && run.finishedAt === undefined) return step
  throw notWaiting(run, { step, name: stepKey(ref), reason, ids: await stepIdsOf(records) })
}

/** The ids of the steps that the run's document has. */
async function stepIdsOf([first]: readonly StoredRecord[]): Promise<readonly string[]> {
  if (first?.record.type !== 'run.submitted') return []
  const { readPipeline } = await import('../daemon/documents/read-pipeline.ts')
  const { steps, onFailure, finally: last } = readPipeline(first.record)
  return [...steps, ...onFailure, ...last].map(({ id }) => id)
}

function notWaiting(
  run: RunDescription,
  wanted: {
    readonly step: StepDescription | undefined
    readonly name: string
    readonly reason: WaitReason
    readonly ids: readonly string[]
  },
): AudienceError {
  const { step, name, reason, ids } = wanted
  const waiting = run.steps.filter(({ waitsFor }) => waitsFor === reason).map(stepKey)
  const show = `\`audience runs show ${run.runId}\` tells what it does`
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
    const others = waiting.length > 0 ? `it waits for ${WAITS[reason]} at ${waiting.join(', ')}` : show
    return ids.includes(name)
      ? usage('not-waiting', `step "${name}" of run ${run.runId} has not begun`, others)
      : usage('unknown-step', `run ${run.runId} has no step "${name}"`, didYouMean(name, known) ?? others)
  }
  const does = step.waitsFor
    ? `waits for ${WAITS[step.waitsFor]}, not for ${WAITS[reason]}`
    : `does not wait: ${step.status}`
  return usage('not-waiting', `step "${name}" of run ${run.runId} ${does}`, show)
}
