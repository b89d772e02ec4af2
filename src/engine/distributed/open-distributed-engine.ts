import { randomUUID } from 'node:crypto'
import { atMost } from '../../core/clock.ts'
import { inBackground } from '../../core/one-at-a-time.ts'
import { Timeline } from '../../runs/timeline.ts'
import { createRunWrites } from '../../state/postgres/run-writes.ts'
import { createWorkerRows } from '../../state/postgres/worker-rows.ts'
import { RunTakenOverError } from '../../state/run-store.ts'
import { createAddAct } from '../../state/sql/audit.ts'
import { ActiveRuns, cancelsFirst } from '../active-runs.ts'
import { followEvents } from '../follow-events.ts'
import { knownDocuments } from '../known-documents.ts'
import { newRun } from '../new-run.ts'
import { interrupted } from '../stopping.ts'
import { adoptOlder, giveAway, removeEnded, sweep, takeOver } from './care-for-others.ts'
import { createDbos, loadDbos, ownQueueOf, PROTOCOL, queueOf } from './dbos.ts'
import { Draining, drainRuns } from './draining.ts'
import { Gate } from './gate.ts'
import { keepLease, LEASE_TIMES } from './lease.ts'
import { Outages } from './outages.ts'
import { resumeUnownedRun } from './resume-unowned-run.ts'
import { RunWorker } from './run-worker.ts'
import type { DistributedDeps, SharingEngine } from './sharing-engine.ts'

/** How often to look for messages from other processes. */
const LOOK_EVERY_MS = 300
/** The number of heartbeats after which to look again for runs that no process is going to work on. */
const SWEEP_EVERY = 10
/** The maximum time for handing over: a process must end even if the database is unavailable. */
const HAND_OVER_MS = 5000
/** How long to wait until DBOS has recorded the end of the last run. DBOS records it later than the run itself does. */
const LAST_END_MS = 1000

/**
 * Opens the engine in one of the processes that share a database. DBOS assigns runs to processes. The same code as in
 * the embedded engine drives a run. This process is a worker once the promise resolves.
 */
export async function openDistributedEngine(deps: DistributedDeps): Promise<SharingEngine> {
  // If opening a part fails, the parts that are open already are closed. Otherwise they would keep the process alive.
  const opened = new AsyncDisposableStack()
  try {
    const process = await joinOthers(deps, opened)
    const work = openWork(deps, process)
    const duty = careForAll(deps, process, work)
    await process.dbos.launch((runId) => work.worker.work(runId))
    opened.move()
    return engineOf(deps, { ...process, ...work, ...duty })
  } catch (error) {
    await opened.disposeAsync().catch(() => undefined)
    throw error
  }
}

/** Adds the row of this process, and creates its lease and DBOS. DBOS does not give this process any runs yet. */
async function joinOthers(deps: DistributedDeps, opened: AsyncDisposableStack) {
  const {
    state,
    here,
    clock,
    machine,
    takes,
    version,
    times = LEASE_TIMES,
    protocol = PROTOCOL,
    sdk = await loadDbos(),
  } = deps
  const executor = randomUUID()
  const queue = takes === 'all' ? queueOf(here) : ownQueueOf(executor)
  const outages = new Outages(clock, deps.log)
  const workers = createWorkerRows(state.db, times.leaseMs)
  await workers.register({ executor, host: machine.host, pid: machine.pid, version, protocol, queue })
  const onMissed = (error: unknown) => outages.missed(error)
  const lease = keepLease(executor, { rows: workers, clock, times, keeps: takes === 'all', onMissed })
  const endLease = async () => {
    // A later heartbeat would renew the lease that this function gives up.
    await lease.end()
    // If this fails, the lease ends automatically.
    await workers.expire(executor).catch(() => undefined)
  }
  opened.defer(endLease)
  const log = (text: string) => outages.warned(text)
  const dbos = await createDbos({ ...deps, ...state, sdk, executor, protocol, queue, log })
  opened.defer(() => dbos.shutdown(0).finally(dbos.close))
  return { executor, queue, protocol, outages, workers, lease, endLease, dbos }
}

type Process = Awaited<ReturnType<typeof joinOthers>>

/** The active runs of this process, and the worker for the runs that it will get. */
function openWork(deps: DistributedDeps, { executor, lease, dbos }: Process) {
  const { state, here, clock, takes, maxRuns = Number.POSITIVE_INFINITY } = deps
  const timeline = new Timeline(clock)
  /** Aborts when this process must not begin anything more. */
  const stopping = new AbortController()
  /** Aborts when this process must no longer wait for the database. */
  const over = new AbortController()
  const documents = knownDocuments(deps.readPipeline)
  const queued = { some: false }
  const writes = createRunWrites({
    ...state,
    here,
    clock,
    executor,
    reads: state.runs,
    shares: takes === 'all',
    signal: over.signal,
    addAct: createAddAct({ now: clock.now, redact: state.redact }),
    enqueue: dbos.enqueue,
    renew: lease.renew,
  })
  const admit = inBackground(async () => {
    if (stopping.signal.aborted) return
    await writes.admit({ at: timeline.wall(), room: () => Number.POSITIVE_INFINITY, orphans: takes === 'all' })
  })
  const runs = new ActiveRuns({ ...deps, store: writes, timeline })
  const draining = new Draining()
  // While the worker is draining, there is no limit, because it begins only runs that other runs wait for.
  const gate = new Gate(
    () => (draining.isOn ? Number.POSITIVE_INFINITY : maxRuns),
    () => runs.live.size,
  )
  const worker = new RunWorker({
    ...deps,
    writes,
    runs,
    gate,
    draining,
    read: documents.read,
    signal: stopping.signal,
    handBack: (runId) => dbos.requeue([runId], queueOf(here)),
  })
  runs.onLeft((runId, reason) => {
    gate.hasRoom()
    worker.left(runId, reason)
    if (queued.some) admit()
  })
  lease.lost.then(() => {
    // From now on this process must not send or record anything for these runs.
    stopping.abort()
    over.abort()
    for (const runId of runs.live.keys()) runs.lose(runId, new RunTakenOverError(runId))
    runs.abandon((runId) => new RunTakenOverError(runId))
  })
  return { timeline, stopping, over, documents, queued, writes, admit, runs, gate, draining, worker }
}

type Work = ReturnType<typeof openWork>

/**
 * Begins the heartbeats. Each one looks after the runs of other processes, and says whether this process is the keeper.
 */
function careForAll({ takes, clock }: DistributedDeps, process: Process, work: Work) {
  const { writes, runs, gate, draining, worker, admit, queued } = work
  const { executor, protocol, outages, workers, lease, dbos } = process
  const care = { workers, writes, dbos, clock, executor, protocol, isHere: (runId: string) => worker.has(runId) }
  const keepers = new Set<{ begin(): void; end(): void }>()
  let isKeeper = false
  let beats = 0
  let suspects: ReadonlySet<string> = new Set()
  const bury = inBackground(() => takeOver(care))
  const { drain, drained } = drainRuns({ runs, gate, draining, worker, give: (runIds) => giveAway(runIds, care) })
  const tidy = inBackground(async () => {
    suspects = await sweep(care, suspects)
    if (!isKeeper) return
    await adoptOlder(care)
    await removeEnded(care)
  })
  lease.begin({
    onBeat(beat) {
      beats += 1
      outages.beaten()
      queued.some = beat.someQueued
      if (queued.some) admit()
      if (takes === 'own') return
      draining.note(beat)
      if (draining.isOn) drain()
      if (beat.someExpired && lease.maySucceed) bury()
      if (beats % SWEEP_EVERY === 0) tidy()
    },
    onKeeper(is) {
      isKeeper = is
      for (const keeper of keepers) is ? keeper.begin() : keeper.end()
    },
  })
  return {
    care,
    drained,
    isKeeper: () => isKeeper,
    onKeeper(begin: () => void, end: () => void) {
      keepers.add({ begin, end })
      if (isKeeper) begin()
    },
  }
}

type Duty = ReturnType<typeof careForAll>

/** Creates the engine and begins to look for messages from other processes. */
function engineOf(deps: DistributedDeps, parts: Process & Work & Duty): SharingEngine {
  const { state, here, clock, takes } = deps
  const { executor, queue, workers, lease, endLease, dbos, timeline, stopping, over, documents } = parts
  const { queued, writes, admit, runs, draining, worker, care, drained, isKeeper, onKeeper } = parts
  const resume = (runId: string) => resumeUnownedRun(runId, { ...care, here, queue, read: documents.read })

  async function deliver(): Promise<void> {
    // This process has no runs, so there is no message for it.
    if (worker.isIdle) return
    for (const { id, runId, message } of cancelsFirst(await writes.messages())) {
      await runs.unpark(runId)
      const live = runs.live.get(runId)
      if (!live) continue
      await live.run.receive(message)
      await writes.acknowledge(id)
    }
  }

  async function look(): Promise<void> {
    while (!stopping.signal.aborted) {
      await deliver().catch(() => undefined)
      runs.tend()
      await clock.sleep(LOOK_EVERY_MS, stopping.signal).catch(() => undefined)
    }
  }
  const looking = look()

  async function endRuns(graceMs: number): Promise<void> {
    stopping.abort()
    const live = [...runs.live]
    for (const [runId, { run }] of live) run.stop(interrupted(runId))
    runs.abandon(interrupted)
    await atMost(graceMs, [Promise.allSettled([looking, ...live.map(([, { end }]) => end)])], clock)
    for (const [runId, { run }] of live) run.end(interrupted(runId))
  }
  let stopped: Promise<void> | undefined
  const stopRuns = (graceMs: number) => {
    stopped ??= endRuns(graceMs)
    return stopped
  }

  async function handOver(): Promise<void> {
    await endLease()
    await dbos.shutdown(worker.isIdle ? LAST_END_MS : 0)
    try {
      await takeOver(care, executor)
      // Usually the keeper does this, but there is no keeper unless `audience start` is running.
      if (takes === 'own') await removeEnded(care)
    } finally {
      await dbos.close()
    }
  }

  return {
    async submit(request) {
      documents.add(request.pipeline)
      const submitted = await writes.submit(newRun(request, { ...deps, at: timeline.wall(), profile: here.profile }))
      if (submitted.state === 'queued') queued.some = true
      return submitted
    },
    async resume(runId) {
      if ((await resume(runId)) === 'elsewhere') throw new RunTakenOverError(runId)
    },
    async cancel(runId, actor) {
      await state.runs.send(runId, { kind: 'cancel', ...actor })
      await resume(runId)
      admit()
    },
    events: (runId) => followEvents(runId, () => runs.live.get(runId), { ...deps, store: writes }, stopping.signal),
    watch: (listener) => runs.watch(listener),
    load: () => ({ runs: runs.live.size + worker.stuck.size, waits: runs.waits }),
    stuck: () => [...worker.stuck],
    // A worker that takes `all` has begun already. An `own` worker begins with the runs that it submits.
    start: () => undefined,
    workers: workers.list,
    lost: lease.lost,
    drained,
    isDraining: () => draining.isOn,
    isKeeper,
    onKeeper,
    stopRuns,
    async stop(graceMs) {
      await stopRuns(graceMs)
      const handedOver = handOver().catch(() => undefined)
      await atMost(HAND_OVER_MS, [handedOver], clock)
      over.abort()
    },
  }
}
