import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RunItem } from '../../api/types.ts'
import { place, setQuery } from '../../router/location.ts'
import { RunTable } from '../../runs/run-table.tsx'
import { zone } from '../../time/zone.ts'
import { Newer } from '../../ui/newer.tsx'
import { Loading, ProblemNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { shownTime } from '../../ui/time.tsx'
import { RunFilters } from './run-filters.tsx'
import { RunListEnd } from './run-list-end.tsx'
import { readFilter } from './run-list-filter.ts'
import { TickedRuns, tickColumn } from './two-ticks.tsx'
import { useRunList } from './use-run-list.ts'

/** All runs, newest first. New runs appear automatically only while the top is visible. */
export function RunsPage() {
  const filter = readFilter(place.value.query)
  const list = useRunList(filter)
  const ticked = useSignal<readonly string[]>([])
  useEffect(() => {
    if (place.value.query.get('focus') !== 'search') return
    document.querySelector<HTMLInputElement>('input[type=search]')?.focus()
    setQuery({ focus: undefined })
  }, [])
  return (
    <Page
      title="Runs"
      lead={
        <>
          <Period from={filter.from} to={filter.to} />
          {filter.error !== undefined && <OneKind list={list.runs} />}
        </>
      }
    >
      <RunFilters filter={filter} />
      <Newer count={list.newer} show={list.showNewer} />
      {list.error && <ProblemNotice error={list.error} retry={list.reload} />}
      {list.runs === undefined && !list.error && <Loading rows={10} />}
      {list.runs !== undefined && list.runs.length > 0 && (
        <RunTable runs={list.runs} label="Runs" first={tickColumn(ticked)} />
      )}
      <RunListEnd list={list} filter={filter} />
      <TickedRuns ticked={ticked} />
    </Page>
  )
}

/** Says that only failures of one kind are shown. */
function OneKind({ list = [] }: { list: readonly RunItem[] | undefined }) {
  return (
    <>
      <span class="break">Failed like this: {list[0]?.error?.message ?? '…'}</span>
      <button type="button" class="link" onClick={() => setQuery({ error: '' })}>
        All errors
      </button>
    </>
  )
}

function Period({ from, to }: { from: string | undefined; to: string | undefined }) {
  if (from === undefined && to === undefined) return null
  return (
    <>
      <span>
        Submitted {from !== undefined && `from ${shownTime(from)} `}
        {to !== undefined && `until ${shownTime(to)} `}({zone.value})
      </span>
      <button type="button" class="link" onClick={() => setQuery({ from: '', to: '' })}>
        All times
      </button>
    </>
  )
}
