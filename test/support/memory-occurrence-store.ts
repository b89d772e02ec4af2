import type { RunOccurrence } from '../../src/core/engine.ts'
import { FINAL_STATUSES, type OccurrenceOutcome } from '../../src/core/format/statuses.ts'
import type { Occurrence, TriggerRef } from '../../src/core/occurrence.ts'
import type { FinalStatus, ToleratedFailures } from '../../src/core/run.ts'
import type {
  ListedOccurrence,
  OccurrenceStore,
  TriggerChange,
  TriggerMemory,
  TriggerSummary,
} from '../../src/state/occurrence-store.ts'

export interface MemoryOccurrenceStore extends OccurrenceStore {
  /** Takes an occurrence, as an engine does when it creates its run. Returns whether it was still free. */
  take(occurrence: { readonly pipeline: string } & RunOccurrence, runId: string): boolean
  end(runId: string, status: FinalStatus, failed?: ToleratedFailures): void
  /** All occurrences, newest first. */
  all(): readonly Occurrence[]
}

/** An occurrence store in memory. */
export function memoryOccurrenceStore(): MemoryOccurrenceStore {
  const memories = new Map<string, TriggerMemory>()
  const occurrences = new Map<string, Occurrence>()
  const submitted = new Set<string>()
  const ends = new Map<string, FinalStatus>()
  const partial = new Set<string>()
  const nameOf = ({ pipeline, trigger }: TriggerRef) => JSON.stringify([pipeline, trigger])
  const keyOf = ({ pipeline, trigger, key }: TriggerRef & { key: string }) => JSON.stringify([pipeline, trigger, key])
  const isUnderWay = (runId: string) => submitted.has(runId) && !ends.has(runId)
  const put = (occurrence: Occurrence, known: TriggerChange['known'] | 'due' = 'due'): boolean => {
    const there = occurrences.get(keyOf(occurrence))
    if (there && (there.state !== known || (known === 'missed' && hasBackfill(there)))) return false
    occurrences.set(keyOf(occurrence), occurrence)
    return true
  }
  const remember = (ref: TriggerRef, change: Partial<TriggerMemory>) => {
    const { pipeline, trigger } = ref
    memories.set(nameOf(ref), { ...memories.get(nameOf(ref)), pipeline, trigger, ...change })
  }
  const oldestFirst = (ref: TriggerRef) =>
    [...occurrences.values()].filter((one) => nameOf(one) === nameOf(ref)).sort((a, b) => a.at - b.at)
  const hasBackfill = (slot: Occurrence) =>
    oldestFirst(slot).some(({ at, key, state }) => at === slot.at && key !== slot.key && /^(ran|due)$/.test(state))
  const outcomeOf = ({ state, runId = '', detail }: Occurrence): OccurrenceOutcome => {
    if (state !== 'ran') return state
    if (partial.has(runId)) return 'partial'
    if (submitted.has(runId)) return ends.get(runId) ?? 'running'
    const kept = FINAL_STATUSES.find((status) => status === detail?.outcome)
    return kept ?? 'ran'
  }
  const listed = (one: Occurrence): ListedOccurrence => ({ ...one, outcome: outcomeOf(one) })
  const countsOf = (names: readonly string[]) =>
    Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, same]) => [name, same.length]))
  const summaryOf = (since: number, same: readonly Occurrence[]): TriggerSummary[] => {
    const [first] = same
    const recent = same.filter(({ at, state }) => at >= since && state !== 'due')
    const withRun = recent.filter(({ state }) => state === 'ran')
    const runs = withRun.map((one) => (submitted.has(one.runId ?? '') ? outcomeOf(one) : 'ran'))
    const none = { ran: 0, skipped: 0, missed: 0, failed: 0 }
    const counts = { recent: { ...none, ...countsOf(recent.map(({ state }) => state)) }, runs: countsOf(runs) }
    return first ? [{ pipeline: first.pipeline, trigger: first.trigger, due: 0, open: 0, caughtUp: 0, ...counts }] : []
  }
  const all = () => [...occurrences.values()].reverse().sort((a, b) => b.at - a.at)
  return {
    all,
    memory: async (ref) => memories.get(nameOf(ref)),
    memories: async () => [...memories.values()],
    async note(ref, { occurrences: noted = [], known, cursor, times }) {
      // As with a disk, the answer comes later.
      await null
      const { pipeline, trigger } = ref
      const keys = noted.filter((one) => put({ ...one, pipeline, trigger }, known)).map(({ key }) => key)
      if (cursor === undefined) return keys
      remember(ref, {
        cursor: Math.max(cursor, memories.get(nameOf(ref))?.cursor ?? cursor),
        ...(times !== undefined && { times }),
      })
      return keys
    },
    async rewind(ref, { from, to }) {
      await null
      if (memories.get(nameOf(ref))?.cursor !== from) return undefined
      remember(ref, { cursor: to })
      const same = oldestFirst(ref)
      const undone = same.filter((one) => {
        const isOwn = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(one.key)
        const isKept = one.state === 'ran' || one.reason === 'withdrawn' || hasBackfill(one)
        return one.at > to && isOwn && !isKept
      })
      for (const one of undone) occurrences.delete(keyOf(one))
      return undone.length
    },
    async pause(ref, at) {
      await null
      remember(ref, { pausedAt: memories.get(nameOf(ref))?.pausedAt ?? at })
    },
    async unpause(ref) {
      await null
      const known = memories.get(nameOf(ref))
      if (!known) return
      const { pausedAt: _, ...rest } = known
      memories.set(nameOf(ref), rest)
    },
    find: async (ref) => occurrences.get(keyOf(ref)),
    list: async ({
      pipeline,
      trigger,
      state,
      kind,
      runId,
      from = Number.NEGATIVE_INFINITY,
      to = Number.POSITIVE_INFINITY,
      limit,
    }) =>
      all()
        .filter((one) => pipeline === undefined || one.pipeline === pipeline)
        .filter((one) => trigger === undefined || one.trigger === trigger)
        .filter((one) => !state || state.includes(one.state))
        .filter((one) => runId === undefined || one.runId === runId)
        .filter(({ key }) => kind === undefined || kind === kindOf(key))
        .filter(({ at }) => at >= from && at < to)
        .slice(0, limit)
        .map(listed),
    due: async (ref, limit) =>
      oldestFirst(ref)
        .filter(({ state }) => state === 'due')
        .slice(0, limit),
    triggersDue: async () => {
      const due = [...occurrences.values()].filter(({ state }) => state === 'due')
      return [...new Map(due.map((one) => [nameOf(one), { pipeline: one.pipeline, trigger: one.trigger }])).values()]
    },
    ended: async (ref, limit) =>
      oldestFirst(ref)
        .filter(({ open, state, runId = '' }) => open && state !== 'due' && !isUnderWay(runId))
        .slice(0, limit)
        .map((occurrence) => {
          const status = occurrence.runId === undefined ? undefined : ends.get(occurrence.runId)
          return { occurrence, ...(status && { status }) }
        }),
    summary: async (since) => [...Map.groupBy(all(), nameOf).values()].flatMap((same) => summaryOf(since, same)),
    async close(ref, detail) {
      await null
      const known = occurrences.get(keyOf(ref))
      if (!known) return
      const { open: _, ...rest } = known
      occurrences.set(keyOf(ref), { ...rest, detail })
    },
    async forget({ before, limit }) {
      await null
      const old = [...occurrences.values()]
        .filter(({ at, open, state, runId = '' }) => {
          return at < before && !open && state !== 'due' && !submitted.has(runId)
        })
        .sort((a, b) => a.at - b.at)
        .slice(0, limit)
      for (const one of old) occurrences.delete(keyOf(one))
      return old.length
    },
    take(occurrence, runId) {
      const known = occurrences.get(keyOf(occurrence))
      if (known && known.state !== 'due') return false
      put({ ...known, ...occurrence, state: 'ran', runId })
      submitted.add(runId)
      return true
    },
    end(runId, status, { failures = 0 } = {}) {
      ends.set(runId, status)
      if (failures > 0) partial.add(runId)
    },
  }
}

function kindOf(key: string): 'slot' | 'file' | 'set' {
  if (/^\d{4}-\d\d-\d\dT/.test(key)) return 'slot'
  return /^runs \d{8}t\d{6}-/.test(key) ? 'set' : 'file'
}
