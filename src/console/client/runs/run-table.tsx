import type { Run } from '../api/types.ts'
import { Status } from '../ui/status.tsx'
import { Head, Table } from '../ui/table.tsx'
import { Time, TimeHead } from '../ui/time.tsx'
import { runAddress } from './run-link.tsx'
import { QueuedFor, RanFor } from './run-times.tsx'
import { StartedBy, shortId } from './started-by.tsx'

/** Runs as rows. */
export function RunTable({
  runs,
  label,
  showPipeline = true,
}: {
  readonly runs: readonly Run[]
  readonly label: string
  readonly showPipeline?: boolean
}) {
  const head = (
    <>
      <Head>Status</Head>
      <Head>{showPipeline ? 'Pipeline' : 'Run'}</Head>
      <Head>Started by</Head>
      <TimeHead>Submitted</TimeHead>
      <Head right>Queued for</Head>
      <Head right>Ran for</Head>
    </>
  )
  return (
    <Table label={label} head={head}>
      {runs.map((run) => (
        <Row key={run.runId} run={run} showPipeline={showPipeline} />
      ))}
    </Table>
  )
}

function Row({ run, showPipeline }: { readonly run: Run; readonly showPipeline: boolean }) {
  return (
    <tr data-run={run.runId}>
      <td>
        <Status status={run.status} short />
      </td>
      <td class="name">
        <a href={runAddress(run.runId)} data-row class={showPipeline ? undefined : 'mono'} title={run.runId}>
          <bdi>{showPipeline ? run.pipeline : shortId(run.runId)}</bdi>
        </a>
        {run.error && (
          <span class="under clamp bad" title={run.error.message}>
            {run.error.step !== undefined && `${run.error.step}: `}
            {run.error.message}
          </span>
        )}
        {run.failures !== undefined && run.failures > 0 && (
          <span class="under">
            {run.failures} of {run.failuresOf} failed
          </span>
        )}
      </td>
      <td class="text">
        <StartedBy run={run} />
      </td>
      <td>
        <Time at={run.submittedAt} />
      </td>
      <td class="right">
        <QueuedFor run={run} />
      </td>
      <td class="right">
        <RanFor run={run} />
      </td>
    </tr>
  )
}
