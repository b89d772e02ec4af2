import { stepKey, stepRef, WAITS_FOR } from '../../../core/run.ts'
import { requireSameService } from '../../../core/service-ref.ts'
import { refusedDecision } from '../../../runs/approval-terms.ts'
import type { StepDescription } from '../../../runs/describe-run.ts'
import { conflict, notFound } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { jobsUnderWay, type RunFacts, readRun } from '../run-facts.ts'

/** A person's decision about a step that waits. The store refuses a second one. */
export const decide: Handler<'runs.decide'> = async (deps, { runId, step: key, decision, reason }, { caller }) => {
  const facts = await readRun(deps.state.runs, runId)
  requireSameService(facts.row, deps.here)
  const step = waitingStep(facts, key, decision === 'approved' || decision === 'rejected' ? 'approval' : 'decision')
  const actor = actorOfCaller(caller, reason)
  const refused = refusedDecision(key, step.approval ?? {}, actor)
  if (refused) throw refused
  await deps.engine.decide(runId, stepRef(step), decision, actor)
  return { runId }
}

function waitingStep({ run, row }: RunFacts, key: string, reason: 'approval' | 'decision'): StepDescription {
  const step = run.steps.find((one) => stepKey(one) === key)
  if (step?.waitsFor === reason && row.finishedAt === undefined) return step
  const decided = step?.waitsFor === undefined ? step?.decisions.at(-1) : undefined
  if (decided) {
    const by = decided.by === undefined ? '' : ` by ${decided.by}`
    throw conflict('already-decided', `step ${key} has its decision already: ${decided.decision}${by} at ${decided.at}`)
  }
  if (row.finishedAt !== undefined) throw conflict('run-ended', `run ${row.runId} has ended: ${row.status}`)
  if (!step) throw notFound('unknown-step', `no step ${key} of run ${row.runId} has begun`)
  const does = step.waitsFor ? `waits for ${WAITS_FOR[step.waitsFor]}` : `does not wait: it is ${step.status}`
  throw conflict('not-waiting', `step ${key} ${does}`)
}

/** Cancels a run; the process that works on it ends it. */
export const cancelRun: Handler<'runs.cancel'> = async (deps, { runId, reason }, { caller }) => {
  const { row, run } = await readRun(deps.state.runs, runId)
  requireSameService(row, deps.here)
  if (row.finishedAt !== undefined) throw conflict('run-ended', `run ${runId} has ended: ${row.status}`)
  await deps.engine.cancel(runId, actorOfCaller(caller, reason))
  return { runId, jobs: jobsUnderWay(run) }
}
