import { acknowledgeFailure } from '../../../acts/acknowledge-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { toRunItem } from '../run-item.ts'

/** The failures of a pipeline that are of the kind of this run are seen. */
export const acknowledge: Handler<'runs.acknowledge'> = async ({ state, clock }, { runId, reason }, { caller }) => {
  const run = await acknowledgeFailure(runId, actorOfCaller(caller, reason), { runs: state.runs, clock })
  return { run: toRunItem(run) }
}
