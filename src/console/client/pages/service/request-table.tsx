import { formatShortDuration } from '../../../../core/format/duration-text.ts'
import { formatBytes } from '../../../../core/format/figures.ts'
import type { ServiceRequest } from '../../api/types.ts'
import { Head } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'
import { NewestRows } from './newest-rows.tsx'
import { Who } from './who.tsx'

const HEAD = (
  <>
    <TimeHead>When</TimeHead>
    <Head>Answer</Head>
    <Head>Operation</Head>
    <Head>Asked by</Head>
    <Head>Request</Head>
    <Head right>Body</Head>
    <Head right>Took</Head>
  </>
)

/** Requests, newest first. */
export function RequestTable({
  requests,
  empty,
}: {
  readonly requests: readonly ServiceRequest[]
  readonly empty: string
}) {
  return (
    <NewestRows
      label="Requests"
      head={HEAD}
      empty={empty}
      read={requests}
      keyOf={({ requestId }) => requestId}
      row={(request) => <Row key={request.requestId} request={request} />}
    />
  )
}

function Row({ request }: { readonly request: ServiceRequest }) {
  const { at, status, operation, participant, method, path, query, bodyBytes, durationMs, fault, requestId } = request
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>
        <span class={status === undefined || status >= 400 ? 'bad figure' : 'good figure'}>{status ?? 'none'}</span>
        {fault && (
          <span class="under wait">
            fault {fault.rule}: {fault.action}
          </span>
        )}
      </td>
      <td>{operation ?? <span class="muted">unknown</span>}</td>
      <td class="text">{participant === undefined ? <span class="muted">unknown</span> : <Who id={participant} />}</td>
      <td class="text">
        {method} <bdi>{path + queryOf(query)}</bdi>
        <span class="under figure">{requestId}</span>
      </td>
      <td class="right figure">{bodyBytes === undefined || bodyBytes === 0 ? '–' : formatBytes(bodyBytes)}</td>
      <td class="right figure">{formatShortDuration(durationMs)}</td>
    </tr>
  )
}

function queryOf(query: ServiceRequest['query']): string {
  const fields = new URLSearchParams()
  for (const [name, values] of Object.entries(query))
    for (const value of Array.isArray(values) ? values : [values]) fields.append(name, String(value))
  const text = fields.toString()
  return text === '' ? '' : `?${text}`
}
