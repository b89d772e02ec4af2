import { atMost, look, NEVER } from '../../core/clock.ts'
import type { Engine, RunRequest } from '../../core/engine.ts'
import { stateAfter } from '../../runs/recorded-run.ts'
import { foldRecords } from '../../runs/run-state.ts'
import { Timeline } from '../../runs/timeline.ts'
import type { Journal } from '../../state/journal.ts'
import type { SentMessage } from '../../state/run-history.ts'
import { RunTakenOverError } from '../../state/run-store.ts'
import { isTroubleOfNow } from '../../state/state-damage.ts'
import { ActiveRuns, cancelsFirst } from '../active-runs.ts'
import type { EngineDeps } from '../engine-deps.ts'
import { followEvents } from '../follow-events.ts'
import { knownDocuments } from '../known-documents.ts'
import { newRun } from '../new-run.ts'
import { interrupted } from '../stopping.ts'
import { RunQueue, StuckRuns } from './run-queue.ts'

/** How often to look for messages from other processes and for runs that no process owns. */
const LOOK_EVERY_MS = 250
const RECOVER_EVERY_MS = 1000
const READ_AGAIN_EVERY_MS = 60_000
/**
 * How many runs are resumed in one batch. They share one sync and one read. Runs that only wait are parked before the
 * next batch.
 */
const RECOVER_AT_ONCE = 200

/** The engine that works on a journal. Any engine on the same journal can resume its runs. */
export function createEngine(deps: EngineDeps & { journal: Journal }): Engine {
  const { journal, clock, maxRuns = Number.POSITIVE_INFINITY } = deps
  const timeline = new Timeline(clock)
  const runs = new ActiveRuns({ ...deps, store: journal, timeline })
  const room = () => maxRuns - runs.live.size - submissions.size - queue.beginning.size
  const queue = new RunQueue({
    journal,
    timeline,
    room,
    isBegun: (runId) => runs.has(runId),
    async begin(runId) {
      await submissions.get(runId)
      await begin(runId, 1)
    },
  })
  /**
   * Runs without an owner whose documents or records this version cannot read, and when to retry. Another version may
   * have started them.
   */
  const unreadable = new Map<string, number>()
  const stuck = new StuckRuns()
  const stopping = new AbortController()
  let watching: Promise<void> | undefined
  let recovers = false
  /**
   * The runs that are being submitted, until the submitting call has its answer. A check may find the run earlier, but
   * the submitting call begins it, so that watchers see its start.
   */
  const submissions = new Map<string, Promise<void>>()

  runs.onLeft(() => {
    // There is room for another run. If the admission fails, the next check retries it.
    if (!queue.isEmpty && !stopping.signal.aborted) queue.admit(recovers).catch(() => undefined)
  })

  /** Starts work on a run again. A queued run stays in its queue until it is admitted. */
  async function activateAgain(runId: string): Promise<'here' | 'ended' | 'elsewhere'> {
    await submissions.get(runId)
    await queue.begun(runId)
    dropLost()
    // The old work on the run is stopping. It must end before the work starts again.
    const live = runs.live.get(runId)
    if (live?.run.stopped.aborted) await live.end.catch(() => undefined)
    if (runs.has(runId)) return 'here'
    if (!(await journal.claim(runId))) return stateAfter(runId, journal.records(runId)).finished ? 'ended' : 'elsewhere'
    watching ??= watch()
    if (journal.find(runId)?.status === 'queued') {
      // If the document cannot be read, report it now rather than only when the run is admitted.
      deps.readPipeline(stateAfter(runId, journal.records(runId)).submission)
      return 'here'
    }
    await begin(runId, 0)
    return 'here'
  }

  /** Resumes runs that have begun, unless another process claims them first. Failures are retried later. */
  async function recover(runIds: readonly string[], read: EngineDeps['readPipeline']): Promise<void> {
    const claims = await Promise.allSettled(runIds.map(async (runId) => (await journal.claim(runId)) && runId))
    const claimed = claims.flatMap((claim) => (claim.status === 'fulfilled' && claim.value ? [claim.value] : []))
    try {
      const records = journal.recordsTogether(claimed)
      const sent = journal.messages()
      await Promise.all(
        claimed.map((runId) =>
          begin(runId, 0, { read, records, sent }).catch((error: unknown) => noteUnreadable(runId, error)),
        ),
      )
    } catch (error) {
      await journal.release(claimed.filter((runId) => !runs.has(runId)))
      throw error
    }
  }

  function noteUnreadable(runId: string, error: unknown): void {
    if (stopping.signal.aborted || isTroubleOfNow(error)) return
    if (!unreadable.has(runId)) deps.onUnreadable?.(runId, error)
    unreadable.set(runId, clock.steady() + READ_AGAIN_EVERY_MS)
  }

  function stuckNow(): readonly string[] {
    return stuck.ids.filter((runId) => !runs.has(runId))
  }

  /** Ends the work on runs that other processes have taken, which can happen while this process is paused. */
  function dropLost(): void {
    for (const runId of journal.lost()) runs.lose(runId, new RunTakenOverError(runId))
  }

  /** Resumes the runs that this process owns but is not working on, and the runs that no process owns. */
  async function recoverAll(): Promise<void> {
    // Usually many runs share a few documents.
    const { read } = knownDocuments(deps.readPipeline, Number.POSITIVE_INFINITY)
    const isIdle = (runId: string) => !runs.has(runId) && !submissions.has(runId) && !queue.beginning.has(runId)
    const idle = journal.held().filter(isIdle)
    const orphans = recovers ? journal.orphans().filter((runId) => !runs.has(runId)) : []
    const now = clock.steady()
    const found = [...stuck.due(idle, now), ...orphans.filter((runId) => (unreadable.get(runId) ?? 0) <= now)]
    for (let from = 0; from < found.length; from += RECOVER_AT_ONCE) {
      dropLost()
      await recover(found.slice(from, from + RECOVER_AT_ONCE), read)
      runs.tend()
    }
  }

  /** Starts work on a run of this owner. If its records cannot be read as a run, other processes may try. */
  async function begin(runId: string, pending: number, known: Partial<ReadTogether> = {}): Promise<void> {
    // Two callers may have waited for the claim at the same time.
    if (runs.has(runId)) return
    try {
      stopping.signal.throwIfAborted()
      const { read = deps.readPipeline, records: recordsOf = journal.records, sent = journal.messages() } = known
      // Read after the claim, when no other process adds records.
      const records = recordsOf(runId)
      const pipeline = queue.take(runId) ?? read(foldRecords(records.slice(0, 1)).submission)
      runs.takeUp(runId, records, pipeline, { pending, sent })
    } catch (error) {
      await journal.release([runId])
      throw error
    }
  }

  async function deliver(): Promise<void> {
    for (const { id, runId, message } of cancelsFirst(journal.messages())) {
      if (submissions.has(runId)) continue
      await runs.unpark(runId)
      // A run that is cancelled while it is queued begins only so that it can end.
      if (message.kind === 'cancel' && journal.find(runId)?.status === 'queued') await begin(runId, 0)
      const live = runs.live.get(runId)
      if (live) await live.run.receive(message)
      else if (journal.find(runId)?.status !== 'queued') continue
      await journal.acknowledge(id)
    }
  }

  /** Periodically checks for changes that are not signalled, until the engine stops. */
  async function watch(): Promise<void> {
    let recoverAt = Number.NEGATIVE_INFINITY
    let dueMs = NEVER
    const round = async () => {
      dropLost()
      await deliver()
      dueMs = runs.tend()
      if (clock.steady() < recoverAt) return
      recoverAt = clock.steady() + RECOVER_EVERY_MS
      await recoverAll()
      await queue.admit(recovers)
    }
    while (!stopping.signal.aborted) {
      // Failed reads and writes are retried at the next check. A run that cannot be recorded stops on its own.
      await round().catch(() => undefined)
      await look(clock, LOOK_EVERY_MS, stopping.signal, dueMs)
    }
  }

  return {
    async submit(request: RunRequest) {
      const { runId, pipeline } = request
      const run = newRun(request, { ...deps, at: timeline.wall(), profile: deps.profile })
      const hold = room() <= 0 && request.parent === undefined
      const answered = Promise.withResolvers<void>()
      submissions.set(runId, answered.promise)
      try {
        const submitted = await journal.submit({ ...run, hold })
        // In the meantime, the engine has stopped and released all its runs, so another process continues this run.
        if (stopping.signal.aborted) {
          if (!submitted.existing) await journal.release([runId])
          return submitted
        }
        watching ??= watch()
        if (submitted.state === 'running' && !runs.has(runId))
          runs.activate(runId, [{ seq: 0, at: run.at, record: run.record }], pipeline, { pending: 1 })
        if (submitted.state === 'queued') queue.add(runId, pipeline)
        return submitted
      } finally {
        submissions.delete(runId)
        answered.resolve()
      }
    },

    async resume(runId) {
      if ((await activateAgain(runId)) === 'elsewhere') throw new RunTakenOverError(runId)
    },

    async cancel(runId, actor) {
      await journal.send(runId, { kind: 'cancel', ...actor })
      await activateAgain(runId)
    },

    events: (runId) => followEvents(runId, () => runs.live.get(runId), { ...deps, store: journal }, stopping.signal),

    watch: (listener) => runs.watch(listener),

    load: () => ({ runs: runs.live.size + stuckNow().length, waits: runs.waits }),

    stuck: stuckNow,

    start() {
      recovers = true
      watching ??= watch()
    },

    async stop(graceMs) {
      stopping.abort()
      const ends = [...runs.live].map(([runId, { run, end }]) => {
        run.stop(interrupted(runId))
        return end.catch(() => journal.release([runId]))
      })
      const others = journal.release([...runs.abandon(interrupted), ...queue.ids])
      const allEnded = Promise.allSettled([...ends, others, watching])
      await atMost(graceMs, [allEnded], clock)
      for (const [runId, { run }] of runs.live) run.end(interrupted(runId))
    },
  }
}

/** Data read once for many runs, after they were claimed. */
interface ReadTogether {
  readonly read: EngineDeps['readPipeline']
  readonly records: Journal['records']
  readonly sent: readonly SentMessage[]
}
