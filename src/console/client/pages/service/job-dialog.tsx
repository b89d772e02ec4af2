import { useSignal } from '@preact/signals'
import { post } from '../../api/request.ts'
import type { PostInput, ServiceJob } from '../../api/types.ts'
import { ActDialog } from '../../ui/act-dialog.tsx'
import { JobFacts } from './job-facts.tsx'
import { statusText } from './service-status.tsx'

export type JobAct = PostInput<'/service/jobs/{jobId}/acts'>['act']

interface Texts {
  readonly title: string
  /** What will happen. */
  readonly will: string
  readonly danger?: true
}

const TEXTS: Readonly<Record<JobAct, Texts>> = {
  approve: {
    title: 'Approve',
    will: 'The partner’s answer becomes yes: the job goes on to its end, and so does a run that waits for it. This cannot be undone.',
  },
  reject: {
    title: 'Reject',
    will: 'The partner’s answer becomes no: the job ends as REJECTED, and a run that waits for it fails. This cannot be undone.',
    danger: true,
  },
  fail: {
    title: 'Fail',
    will: 'The job ends at once and makes nothing; a run that waits for it sees a failed job. This cannot be undone.',
    danger: true,
  },
  hold: {
    title: 'Hold',
    will: 'The job stays in its status until it is released, whatever time it is there. What it works on now is finished, but shows only then. A run that waits for it goes on waiting, up to its own time limit.',
  },
  release: {
    title: 'Release',
    will: 'The job goes on: its present status begins anew, and then come the others.',
  },
}

/** One act on a job of the embedded service. */
export function JobDialog({
  act: name,
  job,
  done,
  onClose,
}: {
  readonly act: JobAct
  readonly job: ServiceJob
  readonly done: () => void
  readonly onClose: () => void
}) {
  const partially = useSignal(false)
  const { title, will, danger = false } = TEXTS[name]
  const act = async (reason: { readonly reason?: string }) => {
    const input = { jobId: job.id, act: name, ...(name === 'fail' && { partially: partially.value }), ...reason }
    const { id, status } = await post('/service/jobs/{jobId}/acts', input)
    const held = name === 'hold' ? 'held, as ' : name === 'release' ? 'released, as ' : ''
    return `Job ${id} is ${held}${statusText(status).toLowerCase()}`
  }
  return (
    <ActDialog title={`${title} job ${job.id}`} button={`${title} the job`} {...{ act, done, onClose, danger }}>
      <JobFacts job={job} />
      <p>{will}</p>
      {name === 'fail' && (
        <label class="check">
          <input
            type="checkbox"
            checked={partially}
            onChange={({ currentTarget }) => {
              partially.value = currentTarget.checked
            }}
          />
          As PARTIAL_SUCCESS instead of FAILED: only the format of its file was valid
        </label>
      )}
    </ActDialog>
  )
}
