import { count } from '../../../../core/format/figures.ts'
import type { ServiceJob, ServiceMatch } from '../../api/types.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Head } from '../../ui/table.tsx'
import { Between } from './between.tsx'
import { JobActs } from './job-acts.tsx'
import { MOST_ROWS, NewestRows } from './newest-rows.tsx'
import { Scopes } from './scopes.tsx'
import { ServicePage } from './service-page.tsx'
import { ServiceStatus } from './service-status.tsx'
import { useServiceRead } from './use-service-read.ts'

const HEAD = (
  <>
    <Head right>Match</Head>
    <Head>Status</Head>
    <Head right>People in both</Head>
    <Head>Segment</Head>
    <Head>Asked by</Head>
    <Head>Reached on</Head>
  </>
)

/** The matches of all participants; those under way with the acts of their jobs. */
export function MatchesPage() {
  const read = useServiceRead('/service/matches', { limit: MOST_ROWS })
  const active = useServiceRead('/service/jobs', { active: true, limit: MOST_ROWS })
  const jobs = active.data?.jobs ?? []
  const reload = () => {
    read.reload()
    active.reload()
  }
  return (
    <ServicePage title="Matches">
      <Loaded read={read} rows={8}>
        {({ matches }) => (
          <NewestRows
            label="Matches"
            head={HEAD}
            empty="There is no match yet: a run makes some."
            read={matches}
            keyOf={({ id }) => id}
            row={(match) => (
              <Row key={match.id} match={match} job={jobs.find((job) => isOf(job, match))} reload={reload} />
            )}
          />
        )}
      </Loaded>
    </ServicePage>
  )
}

/** An activation has the id of its match too. */
function isOf({ matchId, kind }: ServiceJob, { id }: ServiceMatch): boolean {
  return matchId === id && kind.startsWith('matches.')
}

function Row({
  match,
  job,
  reload,
}: {
  readonly match: ServiceMatch
  readonly job: ServiceJob | undefined
  readonly reload: () => void
}) {
  const { id, status, matchCount, segmentId, segmentName, requester, approver, groupId, deliveryScopes } = match
  const { shaveOffPercent, controlHoldoutPercent } = match
  return (
    <tr>
      <td class="right figure">{id}</td>
      <td class="text">
        <ServiceStatus status={status} />
        {job && (
          <>
            <span class="under">
              job {job.id}
              {job.held && ', held'}
            </span>
            <JobActs job={job} reload={reload} />
          </>
        )}
      </td>
      <td class="right">
        <span class="figure">{status === 'FINISHED' ? count(matchCount, 'person', 'people') : '–'}</span>
        {shaveOffPercent !== undefined && <span class="under">{shaveOffPercent} % shaved off</span>}
        {controlHoldoutPercent !== undefined && <span class="under">{controlHoldoutPercent} % control</span>}
      </td>
      <td class="name">
        <bdi>{segmentName}</bdi>
        <span class="under figure">{segmentId}</span>
      </td>
      <td class="text">
        <Between requester={requester} partner={approver ?? groupId} />
      </td>
      <td class="text">
        <Scopes scopes={deliveryScopes} />
      </td>
    </tr>
  )
}
