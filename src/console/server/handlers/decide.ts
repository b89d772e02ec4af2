import { runToCancel } from '../../../acts/cancel-run.ts'
import { decideStep, stepToDecide } from '../../../acts/decide-step.ts'
import { requireSameService } from '../../../core/service-ref.ts'
import { findRun } from '../../../runs/recorded-run.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'

/** A person's decision about a step that waits. The store refuses a second one. */
export const decide: Handler<'runs.decide'> = async (deps, { runId, step: name, decision, reason }, { caller }) => {
  const { readPipeline, here } = deps
  const { runs } = deps.state
  const row = await findRun(runs, runId)
  requireSameService(row, here)
  const step = await stepToDecide({ row, name, decision }, { runs, readPipeline })
  await decideStep({ runId, step, decision, actor: actorOfCaller(caller, reason) }, { runs })
  return { runId }
}

/** Cancels a run; the process that works on it ends it. */
export const cancelRun: Handler<'runs.cancel'> = async (deps, { runId, reason }, { caller }) => {
  const { engine, here, state } = deps
  const { row, jobs } = await runToCancel(runId, state)
  requireSameService(row, here)
  await engine.cancel(runId, actorOfCaller(caller, reason))
  return { runId, jobs }
}
