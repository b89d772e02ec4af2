import type { Logger } from 'pino'
import { type Clock, look } from '../../core/clock.ts'
import type { Fire, Firing } from '../../core/fire.ts'
import { isStateAway } from '../../core/is-state-away.ts'
import { isoTime } from '../../core/iso-time.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { type Occurrence, triggerName } from '../../core/occurrence.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { Ends } from '../../state/ends.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import type { RunHistory } from '../../state/run-history.ts'
import { fireDue } from '../fire-due.ts'
import { accountForEnds, type NamedAfter } from './account-for-ends.ts'
import { createShares, type Document } from './shares-mark.ts'

export interface FollowerDeps {
  occurrenceStore: OccurrenceStore
  ends: Ends
  runs: Pick<RunHistory, 'records'>
  fire: Fire
  clock: Clock
  log: Pick<Logger, 'info' | 'error'>
  /** Calls back when runs of this process end, until the returned function is called. */
  watchEnds: (ended: () => void) => () => void
  /** Called once for each set that gets no run. */
  onDecided?: (occurrence: Pick<Occurrence, 'pipeline' | 'state'>) => void
}

/** The longest time between two checks, because runs also end in other processes. */
const LONGEST_SLEEP_MS = 10_000

interface LiveAfter extends NamedAfter {
  readonly pipeline: Pipeline
  /** The last work failed, and the failure was logged. */
  failed: boolean
}

/**
 * For triggers that come after other pipelines, starts a run for each set of ended runs. It keeps nothing in memory:
 * the state keeps the open ends, and records a set and its occurrence in one transaction.
 */
export function startFollower(deps: FollowerDeps) {
  const { occurrenceStore, ends, clock, log } = deps
  const over = new AbortController()
  let wake = new AbortController()
  let documents: ReadonlyMap<string, Document> = new Map()
  let live: ReadonlyMap<string, LiveAfter> = new Map()
  let shares = createShares(documents)
  /** The documents have changed since the followed pipelines were recorded. */
  let isNew = false

  async function follow(): Promise<void> {
    isNew = false
    try {
      for (const { ref, trigger } of live.values()) await ends.follow(ref, trigger.pipelines)
      // Ends are still noted for a pipeline whose document cannot be read now.
      for (const ref of await ends.followers())
        if (documents.has(ref.pipeline) && !live.has(triggerName(ref))) await ends.follow(ref, [])
    } catch (error) {
      isNew = true
      throw error
    }
  }

  /** Resolves to the time when the next set stops waiting. */
  async function lookAtAll(): Promise<number> {
    if (isNew) await follow()
    if (live.size === 0) return Number.POSITIVE_INFINITY
    const busy = new Set([...(await ends.waiting()), ...(await occurrenceStore.triggersDue())].map(triggerName))
    let nextAt = Number.POSITIVE_INFINITY
    for (const [name, one] of live) {
      if (over.signal.aborted) break
      if (busy.has(name)) nextAt = Math.min(nextAt, await keep(one))
    }
    return nextAt
  }

  async function keep(one: LiveAfter): Promise<number> {
    const { ref, pipeline, trigger } = one
    try {
      const pausedAt = (await occurrenceStore.memory(ref))?.pausedAt
      const { decided, nextAt } = await accountForEnds(one, { ends, shares, now: clock.now(), pausedAt })
      for (const { occurrence } of decided) {
        const { key, state, reason } = occurrence
        if (state === 'due') continue
        log.info({ ...ref, key, reason }, `the set ${triggerName(ref)} ${state}: ${reason}`)
        deps.onDecided?.({ ...ref, state })
      }
      const firingOf = (occurrence: Occurrence) => firing(occurrence, { pipeline, trigger }, deps)
      await fireDue(ref, firingOf, deps, over.signal)
      one.failed = false
      return nextAt
    } catch (error) {
      const text =
        'the runs that this trigger comes after cannot be read now; this will be retried, and until then their sets wait'
      if (!one.failed && !isStateAway(error)) log.error({ err: error, ...ref }, text)
      one.failed = true
      return clock.now() + LONGEST_SLEEP_MS
    }
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      wake = new AbortController()
      const { signal } = wake
      const nextAt = await lookAtAll().catch((error: unknown) => {
        if (!isStateAway(error)) log.error({ err: error }, 'the ends of runs cannot be read now; this will be retried')
        return clock.now() + LONGEST_SLEEP_MS
      })
      const dueInMs = Math.max(0, nextAt - clock.now())
      await look(clock, Math.min(LONGEST_SLEEP_MS, dueInMs), signal, dueInMs)
    }
  }

  const unwatch = deps.watchEnds(() => live.size > 0 && wake.abort())
  const running = run()
  return {
    /** From now on, follows only the pipelines that the triggers of these documents come after. */
    replace(next: ReadonlyMap<string, Document>) {
      documents = next
      shares = createShares(next)
      live = liveIn(next, log)
      isNew = true
      wake.abort()
    },
    /** Ends the work in progress. Resolves when nothing more will be fired. */
    async stop() {
      unwatch()
      over.abort()
      wake.abort()
      await running
    },
  }
}

/**
 * The triggers that start runs after other pipelines, by name. Triggers that would start each other forever are left
 * out.
 */
function liveIn(documents: ReadonlyMap<string, Document>, log: FollowerDeps['log']): Map<string, LiveAfter> {
  const found = new Map<string, LiveAfter>()
  for (const { pipeline } of documents.values()) {
    const triggers = pipeline.triggers.filter((trigger) => trigger.kind === 'after')
    if (triggers.length === 0) continue
    const circle = findCircle(pipeline.name, (name) => documents.get(name)?.pipeline)
    if (circle) {
      const text = `${pipeline.name} starts no runs after other pipelines: ${circle.join(' → ')} is a circle`
      log.error({ pipeline: pipeline.name }, text)
      continue
    }
    for (const trigger of triggers) {
      const ref = { pipeline: pipeline.name, trigger: trigger.id }
      found.set(triggerName(ref), { ref, trigger, pipeline, failed: false })
    }
  }
  return found
}

async function firing(
  { key, at, detail }: Occurrence,
  live: Pick<Firing, 'pipeline' | 'trigger'>,
  { runs }: Pick<FollowerDeps, 'runs'>,
): Promise<Firing> {
  const ended: Record<string, JsonObject> = {}
  const submitters = new Set<string>()
  for (const [name, runId] of Object.entries(isJsonObject(detail?.runs) ? detail.runs : {})) {
    const records = await runs.records(String(runId))
    const first = records[0]?.record
    const last = records.at(-1)
    if (first?.type === 'run.submitted')
      for (const by of [first.startedBy, ...(first.submitters ?? [])]) if (by !== undefined) submitters.add(by)
    // A run that is no longer in the history has no outputs.
    ended[name] =
      last?.record.type === 'run.finished'
        ? { runId, status: last.record.status, endedAt: isoTime(last.at), outputs: last.record.outputs ?? {} }
        : { runId, outputs: {} }
  }
  return { ...live, key, at, detail, values: { runs: ended }, submitters: [...submitters] }
}

/**
 * The circle in which a pipeline comes after itself through other pipelines: a → b → a; undefined if there is none. The
 * runs in a circle would start each other without end.
 */
function findCircle(name: string, pipelines: (name: string) => Pipeline | undefined): string[] | undefined {
  const seen = new Set<string>()
  const ways = [{ end: name, way: [name] }]
  for (const { end, way } of ways) {
    const triggers = pipelines(end)?.triggers ?? []
    for (const next of triggers.flatMap((trigger) => (trigger.kind === 'after' ? trigger.pipelines : []))) {
      const longer = [...way, next]
      if (next === name) return longer
      if (!seen.has(next)) ways.push({ end: next, way: longer })
      seen.add(next)
    }
  }
  return undefined
}
