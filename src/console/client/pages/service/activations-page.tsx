import type { ServiceActivation } from '../../api/types.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Head } from '../../ui/table.tsx'
import { Between } from './between.tsx'
import { MOST_ROWS, NewestRows } from './newest-rows.tsx'
import { Scopes } from './scopes.tsx'
import { ServicePage } from './service-page.tsx'
import { ServiceStatus } from './service-status.tsx'
import { useServiceRead } from './use-service-read.ts'

const HEAD = (
  <>
    <Head right>Activation</Head>
    <Head>Status</Head>
    <Head>Name</Head>
    <Head>Asked by</Head>
    <Head>Made of</Head>
    <Head>Reached on</Head>
  </>
)

/** The activations of all participants. */
export function ActivationsPage() {
  const read = useServiceRead('/service/activations', { limit: MOST_ROWS })
  return (
    <ServicePage title="Activations">
      <Loaded read={read} rows={8}>
        {({ activations }) => (
          <NewestRows
            label="Activations"
            head={HEAD}
            empty="There is no activation yet: a run makes some."
            read={activations}
            keyOf={({ id }) => id}
            row={(activation) => <Row key={activation.id} activation={activation} />}
          />
        )}
      </Loaded>
    </ServicePage>
  )
}

function Row({ activation }: { readonly activation: ServiceActivation }) {
  const { id, status, activationName, requester, approver, matchId, segmentId, deliveryScopes } = activation
  const { campaign, agency, brand, campaignStartDate, campaignEndDate, refreshRate } = activation
  const about = [campaign, brand, agency].filter(Boolean).join(', ')
  const dates = [campaignStartDate, campaignEndDate].filter(Boolean).join(' to ')
  return (
    <tr>
      <td class="right figure">{id}</td>
      <td>
        <ServiceStatus status={status} />
      </td>
      <td class="name">
        <bdi>{activationName}</bdi>
        <span class="under">{refreshRate === 0 ? 'never refreshed' : `refreshed every ${refreshRate} days`}</span>
        {about !== '' && <span class="under">{about}</span>}
        {dates !== '' && <span class="under">{dates}</span>}
      </td>
      <td class="text">
        <Between requester={requester} partner={approver} />
      </td>
      <td class="text">
        <span class="under figure">match {matchId}</span>
        <span class="under figure">segment {segmentId}</span>
      </td>
      <td class="text">
        <Scopes scopes={deliveryScopes} />
      </td>
    </tr>
  )
}
