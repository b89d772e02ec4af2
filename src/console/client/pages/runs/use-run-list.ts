import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api-error.ts'
import { get } from '../../api/request.ts'
import type { Run } from '../../api/types.ts'
import { onChange } from '../../live/changes.ts'
import { isTopInSight } from '../../ui/is-top-in-sight.ts'
import { addOlder, type Merged, mergeRuns, showNewer } from './merge-runs.ts'
import { fitsFilter, isLookedFor, type RunFilter } from './run-filter.ts'

const PAGE = 50

export interface RunList {
  readonly runs: readonly Run[] | undefined
  readonly newer: number
  /** The time up to which there may be older ones; undefined if all are there. */
  readonly lookedBackTo: string | undefined
  readonly isBusy: boolean
  readonly error: ApiError | undefined
  showNewer(): void
  showMore(): void
  reload(): void
}

interface Shown extends Merged {
  readonly next: string | undefined
}

/** The runs that a filter lets through, page by page, kept up to date by the stream. Rows never move under the reader. */
export function useRunList(filter: RunFilter): RunList {
  const key = JSON.stringify(filter)
  const shown = useSignal<Shown | undefined>(undefined)
  const failed = useSignal<{ readonly error: ApiError; readonly cursor: string | undefined } | undefined>(undefined)
  const reading = useSignal<AbortController | undefined>(undefined)

  /** Reads a page more, however far back its runs are, and shows what it has found meanwhile. */
  const read = async (first: string | undefined) => {
    reading.peek()?.abort()
    const stop = new AbortController()
    reading.value = stop
    let cursor = first
    let missing = PAGE
    try {
      do {
        const given = { ...filter, limit: missing, ...(cursor !== undefined && { cursor }) }
        const { runs, next, lookedBackTo } = await get('/runs', given, stop.signal)
        if (stop.signal.aborted) return
        const before = cursor === undefined ? undefined : shown.peek()
        shown.value = { ...addOlder(before ?? { runs: [], newer: [] }, runs), next, lookedBackTo }
        failed.value = undefined
        missing -= runs.length
        cursor = next
      } while (cursor !== undefined && missing > 0)
    } catch (error) {
      if (!stop.signal.aborted) failed.value = { error: asApiError(error), cursor }
    } finally {
      if (reading.peek() === stop) reading.value = undefined
    }
  }

  const refresh = async (stop: AbortSignal) => {
    // After a reconnection under a reader who is far down, or in a search, the rows stay; changed ones come with the stream.
    if (!shown.peek() || (isTopInSight() && !isLookedFor(filter))) return read(undefined)
    const page = await get('/runs', { ...filter, limit: PAGE }, stop).catch(() => undefined)
    if (page && !stop.aborted) merge(page.runs, () => true)
    if (failed.peek()) void read(failed.peek()?.cursor)
  }

  const merge = (changed: readonly Run[], fits: (run: Run) => boolean) => {
    const known = shown.peek()
    if (!known) return
    const merged = mergeRuns(known, changed, fits)
    shown.value = { ...known, ...(isTopInSight() ? showNewer(merged) : merged) }
  }

  useEffect(() => {
    const stop = new AbortController()
    shown.value = undefined
    failed.value = undefined
    void read(undefined)
    const leave = onChange((change) => {
      if (change.kind === 'hello') void refresh(stop.signal)
      if (change.kind === 'runs') merge(change.runs, (run) => fitsFilter(run, filter))
    })
    return () => {
      stop.abort()
      reading.peek()?.abort()
      leave()
    }
  }, [key])

  const { runs, newer = [], lookedBackTo } = shown.value ?? {}
  return {
    ...{ runs, newer: newer.length, lookedBackTo },
    ...{ isBusy: reading.value !== undefined, error: failed.value?.error },
    showNewer() {
      if (shown.value) shown.value = { ...shown.value, ...showNewer(shown.value) }
      scrollTo(0, 0)
    },
    showMore: () => void (reading.peek() ?? read(shown.peek()?.next)),
    reload: () => void read(failed.peek()?.cursor),
  }
}
