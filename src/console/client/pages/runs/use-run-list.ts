import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api-error.ts'
import { get } from '../../api/request.ts'
import type { Run } from '../../api/types.ts'
import { onChange } from '../../live/changes.ts'
import { isTopInSight } from '../../ui/is-top-in-sight.ts'
import { type Merged, mergeRuns, showNewer } from './merge-runs.ts'
import { fitsFilter, type RunFilter } from './run-filter.ts'

const PAGE = 50

export interface RunList {
  readonly runs: readonly Run[] | undefined
  readonly newer: number
  readonly hasMore: boolean
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
  const error = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)

  const read = async (cursor: string | undefined, stop: AbortSignal) => {
    isBusy.value = true
    try {
      const page = await get('/runs', { ...filter, limit: PAGE, ...(cursor !== undefined && { cursor }) }, stop)
      if (stop.aborted) return
      const before = cursor === undefined ? [] : (shown.peek()?.runs ?? [])
      shown.value = { runs: [...before, ...page.runs], newer: [], next: page.next }
      error.value = undefined
    } catch (failure) {
      if (!stop.aborted) error.value = asApiError(failure)
    } finally {
      if (!stop.aborted) isBusy.value = false
    }
  }

  const refresh = async (stop: AbortSignal) => {
    const known = shown.peek()
    // After a reconnection under a reader who is far down, the rows in sight stay; changed ones come with the stream.
    if (!known || isTopInSight()) return read(undefined, stop)
    const page = await get('/runs', { ...filter, limit: PAGE }, stop).catch(() => undefined)
    if (page && !stop.aborted) shown.value = { ...known, ...mergeRuns(known, page.runs, () => true) }
  }

  useEffect(() => {
    const stop = new AbortController()
    shown.value = undefined
    void read(undefined, stop.signal)
    const leave = onChange((change) => {
      if (change.kind === 'hello') void refresh(stop.signal)
      const known = shown.peek()
      if (change.kind !== 'runs' || !known) return
      const merged = mergeRuns(known, change.runs, (run) => fitsFilter(run, filter))
      shown.value = { ...known, ...(isTopInSight() ? showNewer(merged) : merged) }
    })
    return () => {
      stop.abort()
      leave()
    }
  }, [key])

  const { runs, newer = [], next } = shown.value ?? {}
  return {
    ...{ runs, newer: newer.length, hasMore: next !== undefined, isBusy: isBusy.value, error: error.value },
    showNewer() {
      if (shown.value) shown.value = { ...shown.value, ...showNewer(shown.value) }
      scrollTo(0, 0)
    },
    showMore: () => void (isBusy.value || read(next, new AbortController().signal)),
    reload: () => void read(undefined, new AbortController().signal),
  }
}
