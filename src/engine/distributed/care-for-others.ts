import type { SteadyClock } from '../../core/clock.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import type { RunWrites } from '../../state/postgres/run-writes.ts'
import type { WorkerRows } from '../../state/postgres/worker-rows.ts'
import { type Dbos, queueOf } from './dbos.ts'

/** The runs of a worker are moved in parts, so that several other workers get some. */
const PARTS = 12
const PART_EVERY_MS = 120
const MOST_AT_ONCE = 1000
const ENDED_KEPT_MS = 60_000

interface CareDeps {
  workers: Pick<WorkerRows, 'bury' | 'protocols' | 'registered' | 'living'>
  writes: Pick<RunWrites, 'findAll' | 'unattended'>
  dbos: Dbos
  clock: SteadyClock
  executor: string
  protocol: number
  /** Whether this process is working on a run, or is about to. */
  isHere: (runId: string) => boolean
}

/**
 * Gives the runs of dead workers to the others. With `only`, gives only the runs of that worker, which may be this
 * process.
 */
export async function takeOver({ workers, writes, dbos, clock }: CareDeps, only?: string): Promise<void> {
  await workers.bury(async (dead) => {
    await giveAway(await dbos.runsOf(dead), { writes, dbos, clock })
    await dbos.removeQueue(dead)
  }, only)
}

/** Gives runs to the processes that take them. */
export async function giveAway(
  runIds: readonly string[],
  { writes, dbos, clock }: Pick<CareDeps, 'writes' | 'dbos' | 'clock'>,
): Promise<void> {
  const runs = await writes.findAll(runIds)
  const size = Math.ceil(runs.length / PARTS)
  let begunAt = clock.steady()
  for (let from = 0; from < runs.length; from += size) {
    const restMs = begunAt + PART_EVERY_MS - clock.steady()
    if (from > 0 && restMs > 0) await clock.sleep(restMs)
    begunAt = clock.steady()
    await toQueues(runs.slice(from, from + size), dbos.requeue)
  }
}

/** Calls `put` once for each queue, with its runs. The profile and the service of a run determine its queue. */
async function toQueues(runs: readonly (RecordedService & { runId: string })[], put: Dbos['requeue']): Promise<void> {
  for (const [queue, of] of Map.groupBy(runs, queueOf)) {
    const runIds = of.map(({ runId }) => runId)
    await put(runIds, queue)
  }
}

/**
 * Finds active runs that no process is going to work on, and puts them back into their queue. Their workflow has ended
 * or is missing, or the process that should have the run does not have it or was removed. Moves only runs that the
 * previous call also found, because a run may just be on its way. Returns the runs that it found now.
 */
export async function sweep(
  { workers, writes, dbos, executor, isHere }: CareDeps,
  suspects: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const candidates = (await writes.unattended(MOST_AT_ONCE)).filter(({ runId }) => !isHere(runId))
  if (candidates.length === 0) return new Set()
  const places = await dbos.whereAre(candidates.map(({ runId }) => runId))
  const registered = new Set(await workers.registered())
  const lost = candidates.filter(({ runId }) => {
    const place = places.get(runId)
    if (!place || place.isEnded || place.executor === executor) return true
    // The process that has the run was paused for longer than its lease. When it woke up, it took the run before it
    // noticed that its lease had ended.
    return place.executor !== undefined && !registered.has(place.executor)
  })
  // A run that this process got in the meantime stays here.
  const again = lost.filter(({ runId }) => suspects.has(runId) && !isHere(runId))
  await toQueues(again, dbos.requeue)
  return new Set(lost.map(({ runId }) => runId))
}

/** Takes over queued runs of older protocols that no living worker has. */
export async function adoptOlder({ workers, writes, dbos, protocol }: CareDeps): Promise<void> {
  const living = new Set(await workers.protocols())
  const older = Array.from({ length: protocol - 1 }, (_, index) => index + 1).filter((one) => !living.has(one))
  if (older.length === 0) return
  const runs = await writes.findAll((await dbos.ofProtocols(older)).slice(0, MOST_AT_ONCE))
  await toQueues(runs, (runIds, queue) => dbos.requeue(runIds, queue, { adopts: true }))
}

/** Removes the workflows of ended runs. The records say what the runs did. */
export function removeEnded({ dbos, clock }: CareDeps): Promise<void> {
  return dbos.removeEnded(new Date(clock.now() - ENDED_KEPT_MS))
}
