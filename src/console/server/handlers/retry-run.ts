import { retryOf, startRetry } from '../../../acts/retry-run.ts'
import { requireSameService } from '../../../core/service-ref.ts'
import { prepareRun } from '../../../runs/prepare-run.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'

/** A new run with the request of an ended one; what succeeded is not done again. */
export const retryRun: Handler<'runs.retry'> = async (deps, { runId: earlierId, from, reason }, { caller }) => {
  const { runs } = deps.state
  const { row, wanted } = await retryOf({ runId: earlierId, from }, { runs, readPipeline: deps.readPipeline })
  requireSameService(row, deps.here)
  deps.protect(wanted.pipeline)
  const request = await prepareRun({ ...wanted, startedBy: actorOfCaller(caller, reason), via: 'api' as const }, deps)
  return startRetry(request, deps.engine)
}
