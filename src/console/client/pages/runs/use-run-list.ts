import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ApiAnswerOf, ApiInputOf } from '../../../api/operations.ts'
import { asCallError, type CallError } from '../../api/call-error.ts'
import { get } from '../../api/request.ts'
import type { RunItem } from '../../api/types.ts'
import { onChange } from '../../live/changes.ts'
import { isTopInSight } from '../../ui/newer.tsx'
import { addOlder, joins, type Merged, mergeRuns, showNewer } from './merge-runs.ts'
import { fitsFilter, isLookedFor, type RunListFilter } from './run-list-filter.ts'

const PAGE = 50

export interface RunList {
  readonly runs: readonly RunItem[] | undefined
  readonly newer: number
  /** There may be more runs before this time; undefined if the list is complete. */
  readonly lookedBackTo: string | undefined
  readonly isBusy: boolean
  readonly error: CallError | undefined
  showNewer(): void
  showMore(): void
  reload(): void
}

interface Shown extends Merged {
  readonly next: string | undefined
  /**
   * Whether runs between the rows and the newer runs may be missing. If so, the list is read again when the newer runs
   * are shown.
   */
  readonly hasGap?: boolean
}

/**
 * The runs that fit a filter, page by page. The stream keeps them up to date. Rows never move while somebody reads
 * them.
 */
export function useRunList(filter: RunListFilter): RunList {
  const key = JSON.stringify(filter)
  const shown = useSignal<Shown | undefined>(undefined)
  const failed = useSignal<{ readonly error: CallError; readonly cursor: string | undefined } | undefined>(undefined)
  const reading = useSignal<AbortController | undefined>(undefined)

  /** Reads one more page, however far back its runs are, and shows what was found in the meantime. */
  const read = async (first: string | undefined) => {
    reading.peek()?.abort()
    const stop = new AbortController()
    reading.value = stop
    let cursor = first
    let missing = PAGE
    try {
      do {
        const page = await askForRuns({ ...filter, limit: missing, cursor }, stop.signal)
        if (stop.signal.aborted) return
        const { runs, next, lookedBackTo } = page
        failed.value = undefined
        // The reader may have scrolled down during the request.
        if (cursor === undefined && shown.peek() && !isTopInSight()) return takeUp(page)
        const before = cursor === undefined ? undefined : shown.peek()
        shown.value = { ...addOlder(before ?? { runs: [], newer: [] }, runs), next, lookedBackTo }
        merge(page.changed)
        missing -= runs.length
        cursor = next
      } while (cursor !== undefined && missing > 0)
    } catch (error) {
      if (!stop.signal.aborted) failed.value = { error: asCallError(error), cursor }
    } finally {
      if (reading.peek() === stop) reading.value = undefined
    }
  }

  const refresh = async (stop: AbortSignal) => {
    // After a reconnection the rows stay if the reader is far down or is searching. Changed runs arrive with the
    // stream.
    if (!shown.peek() || (isTopInSight() && !isLookedFor(filter))) return read(undefined)
    const page = await askForRuns({ ...filter, limit: PAGE }, stop).catch(() => undefined)
    if (page && !stop.aborted) takeUp(page)
    if (failed.peek()) void read(failed.peek()?.cursor)
  }

  /** Merges the newest runs without moving a row. */
  const takeUp = (page: RunPage) => {
    const known = shown.peek()
    if (!known) return
    shown.value = { ...known, hasGap: known.hasGap || !joins(known, page) }
    merge(page.runs, () => true)
    merge(page.changed)
  }

  const fits = (run: RunItem) => fitsFilter(run, filter)

  const merge = (changed: readonly RunItem[], isWanted = fits) => {
    const known = shown.peek()
    if (!known) return
    const merged = mergeRuns(known, changed, isWanted)
    shown.value = { ...known, ...(isTopInSight() && !known.hasGap ? showNewer(merged) : merged) }
  }

  useEffect(() => {
    const stop = new AbortController()
    shown.value = undefined
    failed.value = undefined
    void read(undefined)
    const leave = onChange((change) => {
      if (change.kind === 'hello') void refresh(stop.signal)
      if (change.kind === 'runs') merge(change.runs)
    })
    return () => {
      stop.abort()
      reading.peek()?.abort()
      leave()
    }
  }, [key])

  const { runs, newer = [], lookedBackTo } = shown.value ?? {}
  return {
    runs,
    newer: newer.length,
    lookedBackTo,
    isBusy: reading.value !== undefined,
    error: failed.value?.error,
    showNewer() {
      scrollTo(0, 0)
      if (shown.value?.hasGap) void read(undefined)
      else if (shown.value) shown.value = { ...shown.value, ...showNewer(shown.value) }
    },
    showMore: () => void (reading.peek() ?? read(shown.peek()?.next)),
    reload: () => void read(failed.peek()?.cursor),
  }
}

interface RunPage extends ApiAnswerOf<'runs.list'> {
  /** The changes that the stream sent during the request. The response may be older than they are. */
  readonly changed: readonly RunItem[]
}

/** Reads a page, and meanwhile collects changes to runs. Rejects with a `CallError`. */
async function askForRuns(input: ApiInputOf<'runs.list'>, signal: AbortSignal): Promise<RunPage> {
  const changed: RunItem[] = []
  const leave = onChange((change) => {
    if (change.kind === 'runs') changed.push(...change.runs)
  })
  try {
    return { ...(await get('runs.list', input, signal)), changed }
  } finally {
    leave()
  }
}
