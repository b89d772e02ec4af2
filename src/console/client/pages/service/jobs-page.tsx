import { place, setQuery } from '../../router/location.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { JobTable } from './job-table.tsx'
import { MOST_ROWS } from './newest-rows.tsx'
import { ParticipantChoice } from './participant-choice.tsx'
import { ServicePage } from './service-page.tsx'
import { useServiceRead } from './use-service-read.ts'

const SHOWN = [
  ['', 'All'],
  ['waiting', 'Waiting for an approval'],
  ['active', 'Under way'],
  ['ended', 'Ended'],
] as const
type Shown = (typeof SHOWN)[number][0]

const FILTERS = {
  '': {},
  waiting: { status: 'PENDING_APPROVAL' },
  active: { active: true },
  ended: { active: false },
} as const satisfies Record<Shown, object>

/** The jobs of all participants, and what can be done about them. */
export function JobsPage() {
  const { query } = place.value
  const shown = SHOWN.find(([id]) => id === query.get('show'))?.[0] ?? ''
  const participant = Number(query.get('participant') ?? 0)
  const id = query.get('id') ?? ''
  const filter = { ...FILTERS[shown], ...(participant > 0 && { participant }), ...(id !== '' && { id }) }
  const read = useServiceRead('/service/jobs', { ...filter, limit: MOST_ROWS })
  const isFiltered = Object.keys(filter).length > 0
  return (
    <ServicePage title="Jobs">
      <search class="toolbar">
        <ParticipantChoice chosen={participant} />
        <fieldset class="chips">
          <legend class="hidden">Which jobs</legend>
          {SHOWN.map(([id, text]) => (
            <button key={id} type="button" aria-pressed={id === shown} onClick={() => setQuery({ show: id })}>
              {text}
            </button>
          ))}
        </fieldset>
        {id !== '' && (
          <button type="button" class="link" onClick={() => setQuery({ id: '' })}>
            Not only job {id}
          </button>
        )}
      </search>
      <Loaded read={read} rows={8}>
        {({ jobs }) => (
          <JobTable
            jobs={jobs}
            reload={read.reload}
            empty={isFiltered ? 'No job is like that.' : 'No job has begun yet: a run makes some.'}
          />
        )}
      </Loaded>
    </ServicePage>
  )
}
