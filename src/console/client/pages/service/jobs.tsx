import { useSignal } from '@preact/signals'
import type { ApiInputOf } from '../../../api/operations.ts'
import { post } from '../../api/request.ts'
import type { ServiceJob } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { place, setQuery } from '../../router/location.ts'
import { may } from '../../shell/me.ts'
import { ActDialog, type Reason } from '../../ui/act-dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { DialogButton } from '../../ui/modal.tsx'
import { type Column, InZone } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { MOST_ROWS, NewestRows, ServiceListPage } from './newest-rows.tsx'
import { useServiceRead } from './service-page.tsx'
import { ServiceJobStatus, statusText } from './service-status.tsx'
import { chosenParticipant, ParticipantChoice, Scopes, Who } from './who.tsx'

type JobAct = ApiInputOf<'service.jobs.act'>['act']

interface ActTexts {
  readonly title: string
  /** The effect of the action. */
  readonly will: string
  readonly danger?: true
}

const ACTS: Readonly<Record<JobAct, ActTexts>> = {
  approve: {
    title: 'Approve',
    will: 'The partner’s answer becomes yes: the job continues to its end, and so does a run that is waiting for it. This cannot be undone.',
  },
  reject: {
    title: 'Reject',
    will: 'The partner’s answer becomes no: the job ends as REJECTED, and a run that is waiting for it fails. This cannot be undone.',
    danger: true,
  },
  fail: {
    title: 'Fail',
    will: 'The job ends immediately and creates nothing. A run that is waiting for it sees a failed job. This cannot be undone.',
    danger: true,
  },
  hold: {
    title: 'Hold',
    will: 'The job stays in its status until it is released, even if the clock of the service moves on. Its current work is finished, but the result appears only after the release. A run that is waiting for it continues to wait, up to its own time limit.',
  },
  release: {
    title: 'Release',
    will: 'The job continues. Its current status starts again, then the next statuses follow.',
  },
}

/** The actions that are possible for a job now, as buttons that open dialogs. */
export function JobActs({ job }: { job: ServiceJob }) {
  const acts = actsOf(job)
  if (acts.length === 0 || !may('operator')) return null
  return (
    <span class="actions under-status">
      {acts.map((act) => (
        <DialogButton
          key={act}
          text={`${ACTS[act].title}…`}
          about={`job ${job.id}`}
          class={act === 'approve' ? 'primary' : undefined}
          dialog={() => <JobDialog act={act} job={job} />}
        />
      ))}
    </span>
  )
}

function actsOf({ status, active, held }: ServiceJob): readonly JobAct[] {
  if (!active) return []
  const asked: readonly JobAct[] = status === 'PENDING_APPROVAL' ? ['approve', 'reject'] : []
  return [...asked, held ? 'release' : 'hold', 'fail']
}

function JobDialog({ act: name, job }: { act: JobAct; job: ServiceJob }) {
  const partially = useSignal(false)
  const { title, will, danger } = ACTS[name]
  const act = async (reason: Reason) => {
    const more = name === 'fail' ? { partially: partially.value } : {}
    const { id, status } = await post('service.jobs.act', { jobId: job.id, act: name, ...more, ...reason })
    const held = name === 'hold' ? 'held, as ' : name === 'release' ? 'released, as ' : ''
    return `Job ${id} is ${held}${statusText(status).toLowerCase()}`
  }
  return (
    <ActDialog title={`${title} job ${job.id}`} button={`${title} the job`} act={act} danger={danger}>
      <JobFacts job={job} />
      <p>{will}</p>
      {name === 'fail' && (
        <CheckField value={partially}>
          As PARTIAL_SUCCESS instead of FAILED: only the format of its file was valid
        </CheckField>
      )}
    </ActDialog>
  )
}

function JobFacts({ job }: { job: ServiceJob }) {
  const { participant, kind, status, held, segmentId, matchId, activationId } = job
  const { data } = useRead(matchId === undefined ? undefined : 'service.matches.list', { limit: 1000 })
  const match = data?.matches.find(({ id }) => id === matchId)
  const partner = match?.approver ?? match?.groupId
  return (
    <Facts
      items={[
        ['Operation', kind],
        ['Status', <ServiceJobStatus status={status} held={held} />],
        ['Asked by', <Who id={participant} />],
        ['Partner', partner !== undefined && <Who id={partner} />],
        ['Segment', <span class="figure break">{segmentId}</span>],
        ['Its name', match?.segmentName !== '' && match?.segmentName],
        ['Match', matchId],
        ['Activation', activationId],
        ['Reached on', match && <Scopes scopes={match.deliveryScopes} />],
      ]}
    />
  )
}

const COLUMNS: readonly Column<ServiceJob>[] = [
  ['Job', ({ id }) => id, 'right figure'],
  [
    'Status',
    (job) => (
      <>
        <ServiceJobStatus status={job.status} held={job.held} />
        {job.failure !== undefined && <span class="under bad">{job.failure}</span>}
        <JobActs job={job} />
      </>
    ),
    'text',
  ],
  [
    'Operation',
    ({ kind, participant }) => (
      <>
        {kind}
        <span class="under">
          by <Who id={participant} />
        </span>
      </>
    ),
    'text',
  ],
  [
    'Works on',
    ({ segmentId, matchId, activationId }) => (
      <>
        <span class="under figure">segment {segmentId}</span>
        {matchId !== undefined && <span class="under figure">match {matchId}</span>}
        {activationId !== undefined && <span class="under figure">activation {activationId}</span>}
      </>
    ),
  ],
  [
    <InZone text="Begun" />,
    ({ createdAt, changedAt }) => (
      <>
        <Time at={createdAt} />
        <span class="under">
          changed <Time at={changedAt} />
        </span>
      </>
    ),
  ],
]

/** The jobs that are waiting for an approval, newest first. */
export function WaitingJobs({ jobs }: { jobs: readonly ServiceJob[] }) {
  const empty = 'No job is waiting for the approval of a participant.'
  return <NewestRows label="Jobs" rows={jobs} columns={COLUMNS} keyOf={({ id }) => id} empty={empty} />
}

/** The choices of which jobs to show. Each has its name in the URL, its text and its filter. */
const SHOWN = [
  ['', 'All', {}],
  ['waiting', 'Waiting for an approval', { status: 'PENDING_APPROVAL' }],
  ['active', 'Under way', { active: true }],
  ['ended', 'Ended', { active: false }],
] as const

/** The jobs of all participants, and the actions for them. */
export function JobsPage() {
  const { query } = place.value
  const [shown, , filter] = SHOWN.find(([name]) => name === query.get('show')) ?? SHOWN[0]
  const participant = chosenParticipant()
  const id = query.get('id') ?? ''
  const read = useServiceRead('service.jobs.list', { ...filter, participant, id: id || undefined, limit: MOST_ROWS })
  const isFiltered = shown !== '' || participant !== undefined || id !== ''
  const toolbar = (
    <>
      <ParticipantChoice />
      <fieldset class="chips">
        <legend class="hidden">Which jobs</legend>
        {SHOWN.map(([name, text]) => (
          <button key={name} type="button" aria-pressed={name === shown} onClick={() => setQuery({ show: name })}>
            {text}
          </button>
        ))}
      </fieldset>
      {id !== '' && (
        <button type="button" class="link" onClick={() => setQuery({ id: '' })}>
          Not only job {id}
        </button>
      )}
    </>
  )
  return (
    <ServiceListPage
      label="Jobs"
      toolbar={toolbar}
      read={read}
      rowsOf={({ jobs }) => jobs}
      keyOf={({ id }) => id}
      columns={COLUMNS}
      empty={isFiltered ? 'No job matches.' : 'There are no jobs yet. Runs start them.'}
    />
  )
}
