import type { Engine } from '../core/engine.ts'
import { AudienceError, usageError } from '../core/errors.ts'
import type { Actor, HumanDecision } from '../core/run.ts'
import type { StepDescription } from '../runs/describe-run.ts'
import { findRun } from '../runs/recorded-run.ts'
import type { RunRow } from '../state/run-history.ts'
import type { State } from '../state/state.ts'
import { type DecideDeps, recordDecision, stepToDecide } from './record-decision.ts'

/** A person's answer to a step that waits for a decision. */
export interface Answer {
  readonly step: StepDescription
  readonly decision: HumanDecision
}

/**
 * A run that can be resumed, and the step that `asked` answers. Throws `unknown-run`, `run-ended`, or what
 * `stepToDecide` throws.
 */
export async function runToResume(
  runId: string,
  asked: { name: string; decision: HumanDecision } | undefined,
  deps: DecideDeps,
): Promise<{ readonly row: RunRow; readonly answer: Answer | undefined }> {
  const row = await findRun(deps.runs, runId)
  if (row.finishedAt !== undefined) throw ended(row)
  const answer = asked && { step: await stepToDecide({ row, ...asked }, deps), decision: asked.decision }
  return { row, answer }
}

/**
 * Continues a run in this process, after an answer if one is given. The audit log gets an entry for the answer or, if
 * there is none, for the resumption. Throws what `recordDecision` throws. If another process works on the run, that
 * process receives the answer; without an answer, throws `run-taken-over`.
 */
export async function resumeWithAnswer(
  { runId, answer, actor }: { runId: string; answer: Answer | undefined; actor: Actor },
  { engine, state }: { engine: Pick<Engine, 'resume'>; state: Pick<State, 'runs' | 'audit'> },
): Promise<void> {
  if (answer) await recordDecision({ runId, ...answer, actor }, state)
  await engine.resume(runId).catch((error: unknown) => {
    if (!answer || !(error instanceof AudienceError) || error.code !== 'run-taken-over') throw error
  })
  if (!answer) await state.audit.add({ ...actor, act: 'run.resume', subject: runId, outcome: 'done' })
}

function ended({ runId, status }: RunRow): AudienceError {
  const hint =
    status === 'succeeded'
      ? `audience run starts a new one; audience runs retry ${runId} --from STEP repeats it from a step`
      : `start a new one that keeps what succeeded: audience runs retry ${runId}`
  return usageError('run-ended', `run ${runId} has ended: ${status}`, hint)
}
