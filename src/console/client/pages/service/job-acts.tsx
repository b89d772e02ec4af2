import type { ServiceJob } from '../../api/types.ts'
import { may } from '../../shell/me.ts'
import { openModal } from '../../ui/modal.tsx'
import { type JobAct, JobDialog } from './job-dialog.tsx'

const TEXTS = { approve: 'Approve…', reject: 'Reject…', hold: 'Hold…', release: 'Release…', fail: 'Fail…' } as const

/** The acts that a job takes now, as buttons that open their dialogs. */
export function JobActs({ job, reload }: { readonly job: ServiceJob; readonly reload: () => void }) {
  const acts = actsOf(job)
  if (acts.length === 0 || !may('operator')) return null
  return (
    <span class="actions under-status">
      {acts.map((act) => (
        <button
          key={act}
          type="button"
          class={act === 'approve' ? 'primary' : undefined}
          onClick={() => openModal((onClose) => <JobDialog {...{ act, job, onClose }} done={reload} />)}
        >
          {TEXTS[act]}
          <span class="hidden"> job {job.id}</span>
        </button>
      ))}
    </span>
  )
}

function actsOf({ status, active, held }: ServiceJob): readonly JobAct[] {
  if (!active) return []
  const asked: readonly JobAct[] = status === 'PENDING_APPROVAL' ? ['approve', 'reject'] : []
  return [...asked, held ? 'release' : 'hold', 'fail']
}
