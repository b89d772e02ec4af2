import type { RunStatus } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { setQuery } from '../../router/location.ts'
import { Icon } from '../../ui/icon.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { lookOf } from '../../ui/status.tsx'
import { FILTER_STATUSES, type RunFilter } from './run-filter.ts'

const KINDS = [
  ['', 'Any start'],
  ['manual', 'By hand'],
  ['schedule', 'Schedule'],
  ['watch', 'File'],
  ['run', 'Another run'],
] as const

/** Chips, lists and a search: each changes the URL, and that changes the list. */
export function RunFilters({ filter }: { readonly filter: RunFilter }) {
  const { data } = useRead('/pipelines', {}, ({ kind }) => kind === 'pipelines')
  const names = new Set(data?.pipelines.map(({ name }) => name))
  if (filter.pipeline !== undefined) names.add(filter.pipeline)
  return (
    <search class="toolbar">
      <SearchField
        text={filter.q ?? ''}
        label="Search runs"
        hint="Search id, pipeline, slot, file, error"
        onText={(q) => setQuery({ q })}
      />
      <select
        aria-label="Pipeline"
        value={filter.pipeline ?? ''}
        onChange={({ currentTarget }) => setQuery({ pipeline: currentTarget.value })}
      >
        <option value="">All pipelines</option>
        {[...names].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="What started it"
        value={filter.trigger ?? ''}
        onChange={({ currentTarget }) => setQuery({ trigger: currentTarget.value })}
      >
        {KINDS.map(([kind, text]) => (
          <option key={kind} value={kind}>
            {text}
          </option>
        ))}
        {filter.trigger !== undefined && !KINDS.some(([kind]) => kind === filter.trigger) && (
          <option>{filter.trigger}</option>
        )}
      </select>
      <fieldset class="chips">
        <legend class="hidden">Status</legend>
        {FILTER_STATUSES.map((status) => (
          <StatusChip key={status} status={status} chosen={filter.status ?? []} />
        ))}
      </fieldset>
    </search>
  )
}

function StatusChip({ status, chosen }: { readonly status: RunStatus; readonly chosen: readonly RunStatus[] }) {
  const { icon, text } = lookOf(status)
  const isChosen = chosen.includes(status)
  const next = isChosen ? chosen.filter((one) => one !== status) : [...chosen, status]
  return (
    <button type="button" aria-pressed={isChosen} onClick={() => setQuery({ status: next })}>
      <Icon name={icon} />
      {status === 'waiting' ? 'Waiting' : text}
    </button>
  )
}
