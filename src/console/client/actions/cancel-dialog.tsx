import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import type { RunDetail } from '../api/types.ts'
import { ActDialog } from '../ui/act-dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import type { ActProps } from './act-props.ts'

/** Cancelling a run, with what goes on regardless. */
export function CancelDialog({
  detail,
  done,
  onClose,
}: ActProps & {
  readonly detail: RunDetail
}) {
  const { run, jobsUnderWay } = detail
  const act = async (reason: { readonly reason?: string }) => {
    await post('/runs/{runId}/cancel', { runId: run.runId, ...reason })
    return `${run.pipeline} is being cancelled`
  }
  return (
    <ActDialog title={`Cancel this run of ${run.pipeline}`} button="Cancel run" danger {...{ act, done, onClose }}>
      <p>
        Steps that have not begun do not begin. Those of <code>finally</code> still run.
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
