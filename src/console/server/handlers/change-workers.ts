import { drainWorker, undrainWorker } from '../../../acts/drain-worker.ts'
import { isoTime } from '../../../core/iso-time.ts'
import { type Workers, workerName } from '../../../state/worker-row.ts'
import { conflict } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import type { ConsoleDeps } from '../console-deps.ts'

export const drain: Handler<'workers.drain'> = async (deps, { worker: name, reason }, { caller }) => {
  const { worker } = await drainWorker(name, actorOfCaller(caller, reason), partsOf(deps))
  return { name: workerName(worker), drainingSince: isoTime(worker.drainingSince ?? deps.clock.now()) }
}

export const undrain: Handler<'workers.undrain'> = async (deps, { worker: name, reason }, { caller }) => ({
  name: workerName(await undrainWorker(name, actorOfCaller(caller, reason), partsOf(deps))),
})

function partsOf({ state, clock }: ConsoleDeps): { readonly workers: Workers; readonly now: () => number } {
  if (state.workers) return { workers: state.workers, now: clock.now }
  throw conflict(
    'state-is-folder',
    'the state is a folder, which one audience start works on',
    'stop it with SIGTERM: the next start resumes its runs',
  )
}
