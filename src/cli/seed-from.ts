import { isSameJson, type JsonObject } from '../core/json.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import type { Seed } from '../core/run.ts'
import { submittersOf } from '../runs/ask-approval.ts'
import { stateAfter } from '../runs/recorded-run.ts'
import { seedOf } from '../runs/seed.ts'
import { approvalWait } from '../steps/approval-wait.ts'
import type { Terminal } from './terminal.ts'
import { withState } from './with-state.ts'

/**
 * What a new run keeps of an earlier one, and whose doing that was; `from` and the steps that need it are repeated. An
 * approval was given to one document with its inputs: a run of others asks again.
 */
export function seedFrom(
  runId: string,
  { pipeline, inputs }: { readonly pipeline: Pipeline; readonly inputs: JsonObject },
  from: string | undefined,
  terminal: Terminal,
): Promise<{ readonly seed: Seed; readonly submitters: readonly string[] }> {
  return withState(terminal, async ({ runs }) => {
    const state = stateAfter(runId, await runs.records(runId))
    const { submission } = state
    const seed = seedOf(pipeline, { runId, state }, from)
    const isSame = submission.digest === pipeline.digest && isSameJson(submission.inputs, inputs)
    const approvals = new Set(stepsOf(pipeline).flatMap(({ id, uses }) => (uses === approvalWait.name ? [id] : [])))
    const kept = isSame ? seed.kept : seed.kept.filter(({ step }) => !approvals.has(step))
    return { seed: { ...seed, kept }, submitters: submittersOf(submission) }
  })
}
