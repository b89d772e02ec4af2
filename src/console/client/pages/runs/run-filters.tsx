import type { RunStatus } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { setQuery } from '../../router/location.ts'
import { Select } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { lookOf } from '../../ui/status.tsx'
import { FILTER_STATUSES, type RunFilter } from './run-filter.ts'

const KINDS: readonly (readonly [kind: string, text: string])[] = [
  ['', 'Any start'],
  ['manual', 'By hand'],
  ['schedule', 'Schedule'],
  ['watch', 'File'],
  ['after', 'After others'],
  ['run', 'Another run'],
]

/** The filters: chips, selections and a search. Each changes the URL, which changes the list. */
export function RunFilters({ filter }: { filter: RunFilter }) {
  const { data } = useRead('/pipelines', {}, ({ kind }) => kind === 'pipelines')
  const names = new Set(data?.pipelines.map(({ name }) => name))
  if (filter.pipeline !== undefined) names.add(filter.pipeline)
  const trigger = filter.trigger ?? ''
  const kinds = KINDS.some(([kind]) => kind === trigger) ? KINDS : [...KINDS, trigger]
  return (
    <search class="toolbar">
      <SearchField
        text={filter.q ?? ''}
        label="Search runs"
        hint="Search id, pipeline, slot, file, error"
        onText={(q) => setQuery({ q })}
      />
      <Select
        name="Pipeline"
        value={filter.pipeline ?? ''}
        choices={[['', 'All pipelines'], ...names]}
        onChoice={(pipeline) => setQuery({ pipeline })}
      />
      <Select name="What started it" value={trigger} choices={kinds} onChoice={(kind) => setQuery({ trigger: kind })} />
      <fieldset class="chips">
        <legend class="hidden">Status</legend>
        {FILTER_STATUSES.map((status) => (
          <StatusChip key={status} status={status} chosen={filter.status ?? []} />
        ))}
        <PartialChip isChosen={filter.partial === true} />
      </fieldset>
    </search>
  )
}

function StatusChip({ status, chosen }: { status: RunStatus; chosen: readonly RunStatus[] }) {
  const { icon, text } = lookOf(status)
  const isChosen = chosen.includes(status)
  const next = isChosen ? chosen.filter((one) => one !== status) : [...chosen, status]
  return (
    <button type="button" aria-pressed={isChosen} onClick={() => setQuery({ status: next, partial: '' })}>
      <Icon name={icon} />
      {status === 'waiting' ? 'Waiting' : text}
    </button>
  )
}

/** A run that succeeded in part also succeeded, so this filter is separate. */
function PartialChip({ isChosen }: { isChosen: boolean }) {
  const { icon } = lookOf('partial')
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => setQuery({ status: '', partial: isChosen ? '' : 'true' })}
    >
      <Icon name={icon} />
      In part
    </button>
  )
}
