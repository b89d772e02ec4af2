import type { Surroundings } from '../app/surroundings.ts'
import { serviceOf } from '../config/service-of.ts'
import type { Settings } from '../config/settings.ts'
import { describeService, isOfService } from '../core/service-ref.ts'
import { readDaemon } from '../daemon/lock/daemon-file.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import { takesRuns } from '../state/worker-row.ts'
import type { NextWorker } from './views/event-sink.ts'

/** Says who works on a run that this process leaves. */
export async function whoGoesOn(runId: string, settings: Settings, surroundings: Surroundings): Promise<NextWorker> {
  const here = serviceOf(settings)
  const resume = `audience runs resume ${runId}`
  const follow = `audience runs logs ${runId} --follow`
  const workers = await withReadableState(settings, surroundings, (state) => state.workers?.list())
  if (workers?.some((worker) => takesRuns(worker, surroundings.clock.now())))
    return { by: 'worker', text: `a worker takes it; ${follow}` }
  if (workers) return { by: 'nobody', text: `a worker takes it once \`audience start\` runs; or ${resume}` }
  const daemon = readDaemon(settings.state)
  if (daemon.state !== 'running')
    return { by: 'nobody', text: `no process works on it before \`audience start\`, or ${resume}` }
  const { info } = daemon
  if (!info || isOfService(info, here)) return { by: 'daemon', text: `audience start works on it; ${follow}` }
  const theirs = describeService(info)
  const text = `it belongs to ${describeService(here)}, and audience start works with ${theirs}, so that it stays in the queue; ${resume}`
  return { by: 'nobody', text }
}
