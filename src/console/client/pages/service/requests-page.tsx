import type { ServiceRequest } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { place, setQuery } from '../../router/location.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { MOST_ROWS } from './newest-rows.tsx'
import { ParticipantChoice } from './participant-choice.tsx'
import { RequestTable } from './request-table.tsx'
import { ServicePage } from './service-page.tsx'
import { useServiceRead } from './use-service-read.ts'

/** The last requests to the service, and what became of each. */
export function RequestsPage() {
  const { query } = place.value
  const operation = query.get('operation') ?? ''
  const participant = Number(query.get('participant') ?? 0)
  const filter = { ...(operation !== '' && { operation }), ...(participant > 0 && { participant }) }
  const read = useServiceRead('/service/requests', { ...filter, limit: MOST_ROWS })
  const isFiltered = Object.keys(filter).length > 0
  return (
    <ServicePage title="Requests">
      <search class="toolbar">
        <OperationChoice chosen={operation} />
        <ParticipantChoice chosen={participant} />
      </search>
      <Loaded read={read} rows={8}>
        {({ requests }: { readonly requests: readonly ServiceRequest[] }) => (
          <RequestTable
            requests={requests}
            empty={isFiltered ? 'No request is like that.' : 'No request has come since the service began.'}
          />
        )}
      </Loaded>
    </ServicePage>
  )
}

function OperationChoice({ chosen }: { readonly chosen: string }) {
  const { data } = useRead('/service/faults', {})
  const known = (data?.operations ?? []).map(({ operation }) => operation).filter((operation) => operation !== '*')
  const operations = chosen === '' || known.includes(chosen) ? known : [chosen, ...known]
  return (
    <select
      aria-label="Operation"
      value={chosen}
      onChange={({ currentTarget }) => setQuery({ operation: currentTarget.value })}
    >
      <option value="">All operations</option>
      {operations.map((operation) => (
        <option key={operation}>{operation}</option>
      ))}
    </select>
  )
}
