import { JOB_STATUSES } from '../../contract/enumerations.ts'
import { flag, list, object, text, time } from '../../core/json-schema.ts'
import { type ControlOperation, idField, limitField, OF_ALL, participantField } from './control-operation.ts'

const job = object(['id', 'participant', 'kind', 'status', 'active', 'held', 'createdAt', 'changedAt', 'segmentId'], {
  id: text('Its id.'),
  participant: { type: 'integer', description: 'Who started it.' },
  kind: text('The operation that started it.'),
  status: text('Where it stands.'),
  active: flag('Whether the job has not ended yet.'),
  held: flag('Whether the job stays in this status until it is released.'),
  dueAt: time('When it moves on by itself, by the clock of the service.'),
  createdAt: time('When it began.'),
  changedAt: time('When its status last changed.'),
  segmentId: text('Its segment.'),
  matchId: text('Its match.'),
  activationId: text('The activation that it made.'),
  failure: text('Why it failed.'),
})

const jobId = idField('Id of the job.')
const JOB_ACT = {
  method: 'POST',
  input: object(['id'], { id: jobId }),
  output: object(['id', 'done', 'status'], {
    id: text('The job.'),
    done: text('What was done.'),
    status: text('Its status now.'),
  }),
  answer: '`id`, `done`, and the `status` that the job has now',
} as const

/** What tests do with jobs: hold them, move them on and end them. */
export const jobControlOperations = {
  'jobs.list': {
    method: 'GET',
    path: '/jobs',
    summary: 'List the jobs of all participants, newest first.',
    input: object([], {
      id: idField('Only the job with this id.'),
      status: { type: 'string', enum: JOB_STATUSES, description: 'Only jobs with this status.' },
      active: flag('true: only jobs that have not ended. false: only jobs that have ended.'),
      participant: participantField('Only jobs of this participant.'),
      kind: text('Only jobs that this operation started, such as `segments.create`.'),
      limit: limitField(1000),
    }),
    output: object(['jobs'], { jobs: list(job, OF_ALL) }),
  },
  'jobs.hold': {
    ...JOB_ACT,
    path: '/jobs/{id}/hold',
    summary: 'Hold a job in its state.',
    description: 'Work in progress is finished, but its result is shown only after the job is released.',
  },
  'jobs.release': { ...JOB_ACT, path: '/jobs/{id}/release', summary: 'Release a held job.' },
  'jobs.step': {
    ...JOB_ACT,
    path: '/jobs/{id}/step',
    summary: 'Move a job to its next state immediately, whether it is held or not.',
    description:
      'If the job works on a match, each state of the match counts as a state, too. A held job is still held in its next state.',
  },
  'jobs.approve': {
    ...JOB_ACT,
    path: '/jobs/{id}/approve',
    summary: 'Approve for the participant whose approval a job waits for.',
  },
  'jobs.reject': {
    ...JOB_ACT,
    path: '/jobs/{id}/reject',
    summary: 'Reject for the participant whose approval a job waits for.',
  },
  'jobs.cancel': { ...JOB_ACT, path: '/jobs/{id}/cancel', summary: 'End a job as CANCELLED.' },
  'jobs.fail': {
    ...JOB_ACT,
    path: '/jobs/{id}/fail',
    summary: 'End a job as FAILED, or as PARTIAL_SUCCESS.',
    input: object(['id'], {
      id: jobId,
      partially: flag('Whether it ends as PARTIAL_SUCCESS: the format was valid, but the rest failed.'),
    }),
  },
} as const satisfies Readonly<Record<string, ControlOperation>>
