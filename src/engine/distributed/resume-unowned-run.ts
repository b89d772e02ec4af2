import { requireSameService, type ServiceAtHand } from '../../core/service-ref.ts'
import { stateAfter, unknownRun } from '../../runs/recorded-run.ts'
import type { RunWrites } from '../../state/postgres/run-writes.ts'
import type { WorkerRows } from '../../state/postgres/worker-rows.ts'
import type { EngineDeps } from '../engine-deps.ts'
import type { Dbos } from './dbos.ts'

/**
 * Puts a run that no living process owns into the queue of this process. Rejects with `unknown-run` or `other-service`,
 * or with the error of `read` if this version cannot parse the document.
 */
export async function resumeUnownedRun(
  runId: string,
  { workers, writes, dbos, here, executor, queue, read }: ResumeDeps,
): Promise<'here' | 'ended' | 'elsewhere'> {
  const found = await writes.find(runId)
  if (!found) throw unknownRun(runId)
  if (found.state === 'ended') return 'ended'
  if (found.executor !== undefined) return found.executor === executor ? 'here' : 'elsewhere'
  if (!here.takesOthers) requireSameService(found, here)
  // The run is on its way to a process. If it were queued again, two processes would get it, and the second would end
  // the work of the first.
  const place = (await dbos.whereAre([runId])).get(runId)
  if (place?.isQueuedHere) return 'here'
  if (place?.executor !== undefined && (await workers.living()).includes(place.executor))
    return place.executor === executor ? 'here' : 'elsewhere'
  // A process that cannot parse the document leaves the run to others.
  read(stateAfter(runId, await writes.records(runId)).submission)
  // A process may have taken it while its records were being read.
  if (!(await writes.adopt(runId))) return 'elsewhere'
  // A queued run is admitted when its groups have room.
  if (found.state === 'active') await dbos.requeue([runId], queue, { adopts: true })
  return 'here'
}

interface ResumeDeps {
  writes: Pick<RunWrites, 'find' | 'records' | 'adopt'>
  workers: Pick<WorkerRows, 'living'>
  dbos: Pick<Dbos, 'requeue' | 'whereAre'>
  here: ServiceAtHand
  executor: string
  /** The queue of this process. */
  queue: string
  read: EngineDeps['readPipeline']
}
