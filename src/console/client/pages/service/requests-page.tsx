import { formatShortDuration } from '../../../../core/format/duration-text.ts'
import { formatBytes } from '../../../../core/format/figures.ts'
import type { ServiceRequest } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { place, setQuery } from '../../router/location.ts'
import { Select } from '../../ui/fields.tsx'
import { type Column, InZone } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { MOST_ROWS, ServiceListPage } from './newest-rows.tsx'
import { useServiceRead } from './service-page.tsx'
import { chosenParticipant, ParticipantChoice, Who } from './who.tsx'

const UNKNOWN = <span class="muted">unknown</span>

const COLUMNS: readonly Column<ServiceRequest>[] = [
  [<InZone text="When" />, ({ at }) => <Time at={at} />],
  [
    'Answer',
    ({ status, fault }) => (
      <>
        <span class={status === undefined || status >= 400 ? 'bad figure' : 'good figure'}>{status ?? 'none'}</span>
        {fault && (
          <span class="under wait">
            fault {fault.rule}: {fault.action}
          </span>
        )}
      </>
    ),
  ],
  ['Operation', ({ operation }) => operation ?? UNKNOWN],
  ['Asked by', ({ participant }) => (participant === undefined ? UNKNOWN : <Who id={participant} />), 'text'],
  [
    'Request',
    ({ method, path, query, requestId }) => (
      <>
        {method} <bdi>{path + queryOf(query)}</bdi>
        <span class="under figure">{requestId}</span>
      </>
    ),
    'text',
  ],
  ['Body', ({ bodyBytes = 0 }) => (bodyBytes === 0 ? '–' : formatBytes(bodyBytes)), 'right figure'],
  ['Took', ({ durationMs }) => formatShortDuration(durationMs), 'right figure'],
]

/** The latest requests to the service, and the outcome of each. */
export function RequestsPage() {
  const operation = place.value.query.get('operation') ?? ''
  const participant = chosenParticipant()
  const input = { operation: operation || undefined, participant, limit: MOST_ROWS }
  const read = useServiceRead('service.requests.list', input)
  const isFiltered = operation !== '' || participant !== undefined
  const toolbar = (
    <>
      <OperationChoice chosen={operation} />
      <ParticipantChoice />
    </>
  )
  return (
    <ServiceListPage
      label="Requests"
      toolbar={toolbar}
      read={read}
      rowsOf={({ requests }) => requests}
      keyOf={({ requestId }) => requestId}
      columns={COLUMNS}
      empty={isFiltered ? 'No request matches.' : 'There has been no request since the service started.'}
    />
  )
}

function OperationChoice({ chosen }: { chosen: string }) {
  const { data } = useRead('service.faults.list', {})
  const known = (data?.operations ?? []).map(({ operation }) => operation).filter((operation) => operation !== '*')
  const operations = chosen === '' || known.includes(chosen) ? known : [chosen, ...known]
  return (
    <Select
      name="Operation"
      value={chosen}
      choices={[['', 'All operations'], ...operations]}
      onChoice={(operation) => setQuery({ operation })}
    />
  )
}

function queryOf(query: ServiceRequest['query']): string {
  const fields = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, String(value)]),
  )
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
}
