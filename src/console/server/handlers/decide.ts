import { decideStep, stepToDecide } from '../../../acts/decide-step.ts'
import { requireSameService } from '../../../core/service-ref.ts'
import { findRun } from '../../../runs/recorded-run.ts'
import { conflict } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { jobsUnderWay, readRun } from '../run-facts.ts'

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
  const { row, run } = await readRun(deps.state.runs, runId)
  requireSameService(row, deps.here)
  if (row.finishedAt !== undefined) throw conflict('run-ended', `run ${runId} has ended: ${row.status}`)
  await deps.engine.cancel(runId, actorOfCaller(caller, reason))
  return { runId, jobs: jobsUnderWay(run) }
}
