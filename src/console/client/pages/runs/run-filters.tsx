import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { setQuery } from '../../router/location.ts'
import { Select } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { statusLook } from '../../ui/status.tsx'
import { FILTER_STATUSES, type RunListFilter } from './run-list-filter.ts'

const KINDS: readonly (readonly [kind: string, text: string])[] = [
  ['', 'Any start'],
  ['manual', 'By hand'],
  ['schedule', 'Schedule'],
  ['watch', 'File'],
  ['after', 'After others'],
  ['run', 'Another run'],
]

/** The filters: chips, selections and a search. Each changes the URL, which changes the list. */
export function RunFilters({ filter }: { filter: RunListFilter }) {
  const { data } = useRead('pipelines.list', {}, ofKind('pipelines'))
  const names = new Set(data?.pipelines.map(({ name }) => name))
  if (filter.pipeline !== undefined) names.add(filter.pipeline)
  const { trigger = '', status: chosen = [], partial: isPartial = false } = filter
  const kinds = KINDS.some(([kind]) => kind === trigger) ? KINDS : [...KINDS, trigger]
  return (
    <search class="toolbar">
      <SearchField name="q" label="Search runs" hint="Search id, pipeline, slot, file, error" />
      <Select
        name="Pipeline"
        value={filter.pipeline ?? ''}
        choices={[['', 'All pipelines'], ...names]}
        onChoice={(pipeline) => setQuery({ pipeline })}
      />
      <Select name="What started it" value={trigger} choices={kinds} onChoice={(kind) => setQuery({ trigger: kind })} />
      <fieldset class="chips">
        <legend class="hidden">Status</legend>
        {FILTER_STATUSES.map((status) => {
          const isChosen = chosen.includes(status)
          const next = isChosen ? chosen.filter((one) => one !== status) : [...chosen, status]
          return <Chip key={status} status={status} isChosen={isChosen} query={{ status: next, partial: '' }} />
        })}
        {/* A run that succeeded in part also succeeded, so this filter is separate. */}
        <Chip
          status="partial"
          text="In part"
          isChosen={isPartial}
          query={{ status: '', partial: isPartial ? '' : 'true' }}
        />
      </fieldset>
    </search>
  )
}

interface ChipProps {
  status: string
  text?: string
  isChosen: boolean
  /** What a click changes in the URL. */
  query: Parameters<typeof setQuery>[0]
}

function Chip({ status, text, isChosen, query }: ChipProps) {
  const { icon, short } = statusLook(status)
  return (
    <button type="button" aria-pressed={isChosen} onClick={() => setQuery(query)}>
      <Icon name={icon} />
      {text ?? short}
    </button>
  )
}
