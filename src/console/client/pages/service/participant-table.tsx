import { count, formatNumber } from '../../../../core/format/figures.ts'
import type { ServiceParticipant } from '../../api/types.ts'
import { words } from '../../format/words.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { Scopes } from './scopes.tsx'

const HEAD = (
  <>
    <Head>Participant</Head>
    <Head>Answers requests</Head>
    <Head>Can be reached on</Head>
    <Head>Offers</Head>
  </>
)

const APPROVALS = { auto: 'yes, at once', manual: 'by a person: approve its jobs here', reject: 'no, always' } as const

/** The participants; the first one is the caller. */
export function ParticipantTable({ participants }: { readonly participants: readonly ServiceParticipant[] }) {
  return (
    <Table label="Participants" head={HEAD}>
      {participants.map((participant) => (
        <Row key={participant.id} participant={participant} />
      ))}
    </Table>
  )
}

function Row({ participant }: { readonly participant: ServiceParticipant }) {
  const { id, name, baseUrl, approval, deliveryScopes, customDeliveryScopesDetail, features } = participant
  const { minimumSegmentSize = 0, universeCoverage, graphCoverage } = participant
  const labels = new Map(customDeliveryScopesDetail.map(({ label, value }) => [value, label]))
  return (
    <tr>
      <td class="name">
        <bdi>{name}</bdi>
        <span class="under figure">{id}</span>
        <span class="under figure">
          {baseUrl} <CopyButton text={baseUrl} what={`the address of ${id}`} />
        </span>
      </td>
      <td class="text">
        {APPROVALS[approval]}
        {minimumSegmentSize > 0 && <span class="under">from {formatNumber(minimumSegmentSize)} people on</span>}
        <span class="under">
          reaches {percent(universeCoverage)} of people, knows {percent(graphCoverage)} of keys
        </span>
      </td>
      <td class="text">
        <Scopes
          scopes={deliveryScopes.map((scope) => (labels.has(scope) ? `${scope} (${labels.get(scope)})` : scope))}
        />
      </td>
      <td class="text">
        {features.map(({ type, signals }) => (
          <div key={type} class="figure">
            {words(type)}{' '}
            <span class="muted">{signals.length > 3 ? count(signals.length, 'signal') : signals.join(', ')}</span>
          </div>
        ))}
      </td>
    </tr>
  )
}

function percent(share: number | undefined): string {
  return share === undefined ? '–' : `${formatNumber(share * 100)} %`
}
