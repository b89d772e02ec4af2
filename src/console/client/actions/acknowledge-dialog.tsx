import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import type { Run } from '../api/types.ts'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'

/** Acknowledges failures of one kind. */
export function AcknowledgeDialog({ run, failures }: { run: Run; failures?: number }) {
  const { runId, pipeline, error } = run
  const act = async ({ reason = '' }: Reason) => {
    await post('/runs/{runId}/acknowledge', { runId, reason })
    return `Failures of ${pipeline} are acknowledged`
  }
  return (
    <ActDialog title={`Acknowledge failures of ${pipeline}`} button="Acknowledge" act={act} needsReason>
      <p>
        {failures !== undefined && `${count(failures, 'run has', 'runs have')} failed like this in the last 24 hours. `}
        Until {pipeline} succeeds, these failures and later ones with this error are no longer shown as new. Any other
        error is shown at once.
      </p>
      {error && <p class="muted break">{error.message}</p>}
    </ActDialog>
  )
}
