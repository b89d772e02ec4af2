import { go, to } from '../../router/location.ts'
import { dateText } from '../../time/format-time.ts'
import { zone } from '../../time/zone.ts'
import { Empty } from '../../ui/notice.tsx'
import { isLookedFor, type RunListFilter } from './run-list-filter.ts'
import type { RunList } from './use-run-list.ts'

/** Below the list: how far back a search has gone, and a button for older runs, if there may be any. */
export function RunListEnd({ list, filter }: { list: RunList; filter: RunListFilter }) {
  return (
    <>
      <div role="status">
        <State list={list} filter={filter} />
      </div>
      {list.lookedBackTo !== undefined && !(list.isBusy && isLookedFor(filter)) && (
        <p class="more">
          <button type="button" onClick={list.showMore} aria-disabled={list.isBusy}>
            {list.isBusy ? 'One moment…' : 'Older runs'}
          </button>
        </p>
      )}
    </>
  )
}

function State({ list, filter }: { list: RunList; filter: RunListFilter }) {
  const { runs, lookedBackTo, isBusy } = list
  if (runs === undefined) return null
  if (lookedBackTo !== undefined)
    return isBusy && isLookedFor(filter) ? (
      <p class="more muted">
        Looked back to {dateText(Date.parse(lookedBackTo), zone.value)} ({zone.value})…
      </p>
    ) : null
  if (runs.length > 0) return isLookedFor(filter) ? <p class="more muted">No older run matches.</p> : null
  if (Object.keys(filter).length === 0)
    return <Empty>Nothing has run yet. Start a run on the page of a pipeline, or with audience run.</Empty>
  return (
    <Empty>
      No run matches.{' '}
      <button type="button" class="link" onClick={() => go(to('/runs'), { replace: true })}>
        Show all runs
      </button>
    </Empty>
  )
}
