import { JOB_STATUSES } from '../../contract/enumerations.ts'
import { ApiError, notFound } from '../api-error.ts'
import type { JobControlResult } from '../jobs/job.ts'
import { type ControlContext, controlOperation, howMany, timeText } from './control-operation.ts'

const jobId = { type: 'string', pattern: '^[0-9]{1,18}$', description: 'Id of the job.' } as const
const oneJob = { type: 'object', additionalProperties: false, required: ['id'], properties: { id: jobId } } as const
const ANSWER = '`id`, `done`, and the `status` that the job has now'

export const jobOperations = {
  'jobs.list': controlOperation({
    method: 'GET',
    path: '/jobs',
    summary: 'List the jobs of all participants, newest first.',
    input: {
      type: 'object',
      additionalProperties: false,
      properties: {
        id: { ...jobId, description: 'Only the job with this id.' },
        status: { type: 'string', enum: JOB_STATUSES, description: 'Only jobs of this status.' },
        active: { type: 'boolean', description: 'Only jobs that have not ended, or only those that have.' },
        participant: { type: 'integer', minimum: 1, description: 'Only jobs of this participant.' },
        kind: { type: 'string', description: 'Only jobs that this operation started, such as `segments.create`.' },
        limit: howMany(1000),
      },
    },
    answer:
      '`jobs`, each with `id`, `participant`, `kind`, `status`, `active` (it has not ended), `held`, `dueAt`, `createdAt`, `changedAt`, the ids it has, and `failure`',
    handle: ({ store }, { limit = 100, ...filter }) => ({
      jobs: store.jobs.report(filter, limit).map(({ dueAt, createdAt, changedAt, ...job }) => ({
        ...job,
        dueAt: dueAt === null ? null : timeText(dueAt),
        createdAt: timeText(createdAt),
        changedAt: timeText(changedAt),
      })),
    }),
  }),

  'jobs.hold': controlOperation({
    method: 'POST',
    path: '/jobs/{id}/hold',
    summary: 'Hold a job in its state.',
    description: 'Work in progress is finished, but its result shows only after the job is released.',
    input: oneJob,
    answer: ANSWER,
    handle: (control, { id }) => done(control, id, 'hold', control.jobs.hold(id)),
  }),

  'jobs.release': controlOperation({
    method: 'POST',
    path: '/jobs/{id}/release',
    summary: 'Release a held job.',
    input: oneJob,
    answer: ANSWER,
    handle: (control, { id }) => done(control, id, 'release', control.jobs.release(id)),
  }),

  'jobs.step': controlOperation({
    method: 'POST',
    path: '/jobs/{id}/step',
    summary: 'Move a job to its next state at once, held or not.',
    description: 'The states of a match’s record count as states too. A held job then stays in the next state.',
    input: oneJob,
    answer: ANSWER,
    handle: async (control, { id }) => done(control, id, 'step', await control.jobs.step(id)),
  }),

  'jobs.approve': controlOperation({
    method: 'POST',
    path: '/jobs/{id}/approve',
    summary: 'Approve for the participant whose approval a job waits for.',
    input: oneJob,
    answer: ANSWER,
    handle: (control, { id }) => done(control, id, 'approve', control.jobs.approve(id)),
  }),

  'jobs.reject': controlOperation({
    method: 'POST',
    path: '/jobs/{id}/reject',
    summary: 'Reject for the participant whose approval a job waits for.',
    input: oneJob,
    answer: ANSWER,
    handle: (control, { id }) => done(control, id, 'reject', control.jobs.reject(id)),
  }),

  'jobs.cancel': controlOperation({
    method: 'POST',
    path: '/jobs/{id}/cancel',
    summary: 'End a job as CANCELLED.',
    input: oneJob,
    answer: ANSWER,
    handle: (control, { id }) => done(control, id, 'cancel', control.jobs.cancel(id)),
  }),

  'jobs.fail': controlOperation({
    method: 'POST',
    path: '/jobs/{id}/fail',
    summary: 'End a job as FAILED, or as PARTIAL_SUCCESS.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['id'],
      properties: {
        id: jobId,
        partially: { type: 'boolean', description: 'PARTIAL_SUCCESS: the format was valid, the rest failed.' },
      },
    },
    answer: ANSWER,
    handle: (control, { id, partially = false }) =>
      done(control, id, 'fail', control.jobs.fail(id, partially ? 'PARTIAL_SUCCESS' : 'FAILED')),
  }),
}

function done({ store }: ControlContext, id: string, action: string, result: JobControlResult) {
  if (result.state === 'notFound') throw notFound('job', id)
  if (result.state === 'notNow')
    throw new ApiError('conflict', `job ${id} is ${result.status}: ${action} is not possible`)
  return { id, done: action, status: store.jobs.findSummary(id)?.status }
}
