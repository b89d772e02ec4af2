import type { ServiceJob } from '../../api/types.ts'
import { Head } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'
import { JobActs } from './job-acts.tsx'
import { NewestRows } from './newest-rows.tsx'
import { JobStatus } from './service-status.tsx'
import { Who } from './who.tsx'

/** Jobs, newest first. */
export function JobTable({
  jobs,
  empty,
  reload,
}: {
  readonly jobs: readonly ServiceJob[]
  readonly empty: string
  readonly reload: () => void
}) {
  const head = (
    <>
      <Head right>Job</Head>
      <Head>Status</Head>
      <Head>Operation</Head>
      <Head>Works on</Head>
      <TimeHead>Begun</TimeHead>
    </>
  )
  return (
    <NewestRows
      {...{ head, empty }}
      label="Jobs"
      read={jobs}
      keyOf={({ id }) => id}
      row={(job) => <Row key={job.id} job={job} reload={reload} />}
    />
  )
}

function Row({ job, reload }: { readonly job: ServiceJob; readonly reload: () => void }) {
  const { id, status, held, kind, participant, segmentId, matchId, activationId, createdAt, changedAt, failure } = job
  return (
    <tr>
      <td class="right figure">{id}</td>
      <td class="text">
        <JobStatus status={status} held={held} />
        {failure !== undefined && <span class="under bad">{failure}</span>}
        <JobActs job={job} reload={reload} />
      </td>
      <td class="text">
        {kind}
        <span class="under">
          by <Who id={participant} />
        </span>
      </td>
      <td>
        <span class="under figure">segment {segmentId}</span>
        {matchId !== undefined && <span class="under figure">match {matchId}</span>}
        {activationId !== undefined && <span class="under figure">activation {activationId}</span>}
      </td>
      <td>
        <Time at={createdAt} />
        <span class="under">
          changed <Time at={changedAt} />
        </span>
      </td>
    </tr>
  )
}
