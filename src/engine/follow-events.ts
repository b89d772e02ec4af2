import { look } from '../core/clock.ts'
import { NO_SECRETS, openedRecord } from '../core/create-sealing.ts'
import type { RunEvent } from '../core/run-event.ts'
import { createRecordTeller, type RecordTeller } from '../runs/record-teller.ts'
import type { RunStore } from '../state/run-store.ts'
import type { EngineDeps, Live } from './engine-deps.ts'
import { PARKED } from './waits.ts'

type FollowDeps = Pick<EngineDeps, 'clock' | 'readPipeline' | 'stepTypes'> & {
  readonly store: Pick<RunStore, 'records'>
}

/** How often a run of another process is polled. */
const LOOK_EVERY_MS = 500
/** How often to check whether the run begins in this process. */
const LOOK_HERE_EVERY_MS = 50

/**
 * Yields the past events of a run, then the new ones, until the run ends or `signal` aborts. Any process may work on
 * the run.
 */
export async function* followEvents(
  runId: string,
  liveRun: () => Live | undefined,
  deps: FollowDeps,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const recorded = async (after?: number, end = Number.POSITIVE_INFINITY) =>
    (await deps.store.records(runId, after))
      .filter(({ seq }) => seq < end)
      .map((stored) => openedRecord(stored, NO_SECRETS))
  let teller: RecordTeller | undefined
  while (true) {
    const active = liveRun()
    if (active?.run.stopped.reason === PARKED) {
      // The run is leaving this process. From now on events come from its records, until there is news.
      await active.end.catch(() => undefined)
      continue
    }
    // A run that began here has emitted all its events, so its records need not be read.
    if (active?.run.firstSeq !== 0)
      teller ??= createRecordTeller(runId, await recorded(), deps, active?.run.facts.pipeline)
    if (active) {
      const past = teller?.tell(await recorded(teller.nextSeq - 1, active.run.firstSeq)) ?? []
      // The run was parked while its records were being read, because nobody was listening to it yet.
      if (active.run.stopped.reason === PARKED) {
        yield* past
        continue
      }
      const follower = followLive(active, past, teller?.nextSeq)
      try {
        while (true) {
          for (const event of follower.take()) yield event
          if (follower.hasEnded()) return
          await follower.news()
        }
      } finally {
        follower.close()
      }
    }
    if (teller) yield* teller.tell(await recorded(teller.nextSeq - 1))
    if (teller?.hasEnded || signal.aborted) return
    for (let waited = 0; waited < LOOK_EVERY_MS && !signal.aborted && !liveRun(); waited += LOOK_HERE_EVERY_MS)
      await look(deps.clock, LOOK_HERE_EVERY_MS, signal)
  }
}

/**
 * Collects the events of a run of this process, past events first. `past` contains the events before the position
 * `known`.
 */
function followLive({ run, end }: Live, past: readonly RunEvent[], known = 0) {
  let arrived = Promise.withResolvers<void>()
  let outcome: { readonly failure?: unknown } | undefined
  const settle = (how: { failure?: unknown }) => {
    outcome = how
    arrived.resolve()
  }
  end.then(
    () => settle({}),
    (failure) => settle({ failure }),
  )
  let coming = [...past, ...run.emitted.flatMap(({ event, seq }) => (seq < known ? [] : [event]))]
  const unlisten = run.listen((event) => {
    coming.push(event)
    arrived.resolve()
  })
  return {
    take() {
      const taken = coming
      coming = []
      return taken
    },
    /** Throws the error that ended the work on the run before its end. */
    hasEnded() {
      if (coming.length > 0 || !outcome) return false
      if ('failure' in outcome) throw outcome.failure
      return true
    },
    /** Resolves when there is an event to take or the run has ended. */
    async news() {
      if (coming.length > 0 || outcome) return
      await arrived.promise
      arrived = Promise.withResolvers()
    },
    close: unlisten,
  }
}
