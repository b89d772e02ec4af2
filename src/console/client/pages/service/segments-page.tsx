import { count } from '../../../../core/format/figures.ts'
import type { ServiceSegment } from '../../api/types.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Head } from '../../ui/table.tsx'
import { MOST_ROWS, NewestRows } from './newest-rows.tsx'
import { ServicePage } from './service-page.tsx'
import { ServiceStatus } from './service-status.tsx'
import { useServiceRead } from './use-service-read.ts'
import { Who } from './who.tsx'

const HEAD = (
  <>
    <Head>Segment</Head>
    <Head>Status</Head>
    <Head right>People</Head>
    <Head>Owner</Head>
    <Head>The owner’s id for it</Head>
    <Head>Made of</Head>
  </>
)

/** The segments of all participants. */
export function SegmentsPage() {
  const read = useServiceRead('/service/segments', { limit: MOST_ROWS })
  return (
    <ServicePage title="Segments">
      <Loaded read={read} rows={8}>
        {({ segments }) => (
          <NewestRows
            label="Segments"
            head={HEAD}
            empty="There is no segment yet: a run makes some."
            read={segments}
            keyOf={({ id }) => id}
            row={(segment) => <Row key={segment.id} segment={segment} />}
          />
        )}
      </Loaded>
    </ServicePage>
  )
}

function Row({ segment }: { readonly segment: ServiceSegment }) {
  const { id, state, segmentName, participantSegmentId, segmentFileName, owner, members } = segment
  const { uploadSignal, resultContent, providerId } = segment
  return (
    <tr>
      <td class="name">
        <bdi>{segmentName}</bdi>
        <span class="under figure">{id}</span>
      </td>
      <td>
        <ServiceStatus status={state} />
      </td>
      <td class="right figure">{state === 'live' ? count(members, 'person', 'people') : '–'}</td>
      <td>
        <Who id={owner} />
      </td>
      <td class="text">{participantSegmentId}</td>
      <td class="text">
        <bdi>{segmentFileName}</bdi>
        <span class="under">
          {uploadSignal} to {resultContent}
          {providerId !== undefined && `, by ${providerId}`}
        </span>
      </td>
    </tr>
  )
}
