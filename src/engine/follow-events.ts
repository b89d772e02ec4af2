import type { Pipeline } from '../core/pipeline.ts'
import type { StoredRecord } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import { eventOf } from '../runs/event-of.ts'
import { recordsOf } from '../runs/recorded-run.ts'
import type { RunFacts } from '../runs/run-facts.ts'
import { applyRecord, foldRecords } from '../runs/run-state.ts'
import type { Journal } from '../state/journal.ts'
import type { EngineDeps, Live } from './engine-deps.ts'
import { PARKED } from './waits.ts'

type FollowDeps = Pick<EngineDeps, 'clock' | 'readPipeline' | 'stepTypes'> & {
  readonly journal: Pick<Journal, 'records'>
}

/** How often a run of another process is polled. */
const LOOK_EVERY_MS = 500

/** The past events of a run, then the new ones, here or in another process, until it ends or `signal` aborts. */
export async function* followEvents(
  runId: string,
  liveRun: () => Live | undefined,
  deps: FollowDeps,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let teller: Teller | undefined
  while (true) {
    const active = liveRun()
    if (active?.run.stopped.reason === PARKED) {
      // It is leaving this process; from then on its records are the source, until there is news.
      await active.end.catch(() => undefined)
      continue
    }
    // A run that began here has emitted all its events, so its records need not be read.
    if (active?.run.firstSeq !== 0) teller ??= recordTeller(runId, deps, active?.run.facts.pipeline)
    if (active) {
      const follower = followLive(active, teller)
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
    yield* teller?.tell() ?? []
    if (teller?.facts.state.finished || signal.aborted) return
    await deps.clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
  }
}

/** Collects the events of a run of this process, past ones first. */
function followLive({ run, end }: Live, teller: Teller | undefined) {
  let arrived = Promise.withResolvers<void>()
  let outcome: { readonly failure?: unknown } | undefined
  const settle = (how: { readonly failure?: unknown }) => {
    outcome = how
    arrived.resolve()
  }
  end.then(
    () => settle({}),
    (failure) => settle({ failure }),
  )
  const past = teller?.tell(run.firstSeq) ?? []
  const known = teller?.nextSeq ?? 0
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
    /** Resolves when there is an event to take, or the end. */
    async news() {
      if (coming.length > 0 || outcome) return
      await arrived.promise
      arrived = Promise.withResolvers()
    },
    close: unlisten,
  }
}

/** Emits recorded events, each once. */
interface Teller {
  readonly facts: RunFacts
  readonly nextSeq: number
  /** The events not emitted yet, from the records before `end`. */
  tell(end?: number): RunEvent[]
}

function recordTeller(
  runId: string,
  { journal, readPipeline, stepTypes }: FollowDeps,
  pipeline: Pipeline | undefined,
): Teller {
  const state = foldRecords(recordsOf(runId, journal).slice(0, 1))
  const facts = { runId, pipeline: pipeline ?? readPipeline(state.submission), state, stepTypes, env: {} }
  let nextSeq = 0
  const eventsOf = (stored: StoredRecord): RunEvent[] => {
    const event = eventOf(facts, stored)
    applyRecord(state, stored)
    nextSeq = stored.seq + 1
    return event ? [event] : []
  }
  return {
    facts,
    get nextSeq() {
      return nextSeq
    },
    tell: (end = Number.POSITIVE_INFINITY) =>
      journal
        .records(runId, nextSeq - 1)
        .filter(({ seq }) => seq < end)
        .flatMap(eventsOf),
  }
}
