import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import type { RunDetail } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { concernsRun } from '../live/changes.ts'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { Notice } from '../ui/notice.tsx'

/** Cancels a run. Says what continues anyway. */
export function CancelDialog({ detail }: { detail: RunDetail }) {
  const { runId, pipeline } = detail.run
  const { data } = useRead('/runs/{runId}', { runId }, (change) => concernsRun(change, runId))
  const { jobsUnderWay } = data ?? detail
  const act = async (reason: Reason) => {
    await post('/runs/{runId}/cancel', { runId, ...reason })
    return `${pipeline} is being cancelled`
  }
  return (
    <ActDialog title={`Cancel this run of ${pipeline}`} button="Cancel run" danger act={act}>
      <p>
        Steps that have not begun will not begin. Steps in <code>finally</code> still run.
      </p>
      {jobsUnderWay.length > 0 && (
        <Notice tone="wait" icon="warning">
          {count(jobsUnderWay.length, 'job goes', 'jobs go')} on at the service, because nothing can stop{' '}
          {jobsUnderWay.length === 1 ? 'it' : 'them'}: <code class="break">{jobsUnderWay.join(', ')}</code>
        </Notice>
      )}
    </ActDialog>
  )
}
