import { JOB_STATUSES } from '../../contract/enumerations.ts'
import { FaultSpec } from '../../service/control/fault-rule.ts'
import { apiOperation } from './api-operation.ts'
import { flag, given, list, noFields, object, text } from './schema-parts.ts'
import * as service from './service-schemas.ts'

const newest = object([], { limit: given.limit(1000, 100) })
const ofParticipant = { type: 'integer', minimum: 1, description: 'Only those of this participant.' } as const

/** The operations on the embedded service. Where the daemon uses another service, they answer `not-embedded`. */
export const serviceOperations = {
  'service.clock.get': apiOperation({
    method: 'GET',
    path: '/service/clock',
    summary: 'Read the clock of the embedded service',
    role: 'viewer',
    input: noFields,
    output: service.serviceClock,
  }),
  'service.clock.act': apiOperation({
    method: 'POST',
    path: '/service/clock',
    summary: 'Freeze the clock of the embedded service, thaw it, or advance it',
    description: 'An advance works on every job that falls due on the way, and answers when that is done.',
    role: 'operator',
    input: object(['act'], {
      act: { enum: ['freeze', 'thaw', 'advance'], description: 'What to do.' },
      ms: {
        type: 'integer',
        minimum: 0,
        maximum: 315_360_000_000,
        description: 'How far to advance; at most ten years.',
      },
      reason: given.reason,
    }),
    output: service.serviceClock,
  }),
  'service.participants.list': apiOperation({
    method: 'GET',
    path: '/service/participants',
    summary: 'List the participants that the embedded service plays',
    role: 'viewer',
    input: noFields,
    output: object(['participants'], { participants: list(service.participant, 'The first one is the caller.') }),
  }),
  'service.groups.list': apiOperation({
    method: 'GET',
    path: '/service/groups',
    summary: 'List the groups of the embedded service',
    role: 'viewer',
    input: noFields,
    output: object(['groups'], { groups: list(service.group, 'The groups.') }),
  }),
  'service.segments.list': apiOperation({
    method: 'GET',
    path: '/service/segments',
    summary: 'List the segments at the embedded service',
    role: 'viewer',
    input: newest,
    output: object(['segments'], { segments: list(service.segment, 'Of all participants, newest first.') }),
  }),
  'service.matches.list': apiOperation({
    method: 'GET',
    path: '/service/matches',
    summary: 'List the matches at the embedded service',
    role: 'viewer',
    input: newest,
    output: object(['matches'], { matches: list(service.match, 'Of all participants, newest first.') }),
  }),
  'service.activations.list': apiOperation({
    method: 'GET',
    path: '/service/activations',
    summary: 'List the activations at the embedded service',
    role: 'viewer',
    input: newest,
    output: object(['activations'], { activations: list(service.activation, 'Of all participants, newest first.') }),
  }),
  'service.jobs.list': apiOperation({
    method: 'GET',
    path: '/service/jobs',
    summary: 'List the jobs of the embedded service',
    role: 'viewer',
    input: object([], {
      id: { ...given.text('Only the job with this id.'), pattern: '^[0-9]{1,18}$' },
      status: { enum: JOB_STATUSES, description: 'Only jobs with this status.' },
      active: flag('Only jobs that have not ended, or only those that have.'),
      participant: ofParticipant,
      kind: given.text('Only jobs that this operation started.'),
      limit: given.limit(1000, 100),
    }),
    output: object(['jobs'], { jobs: list(service.job, 'Of all participants, newest first.') }),
  }),
  'service.jobs.act': apiOperation({
    method: 'POST',
    path: '/service/jobs/{jobId}/acts',
    summary: 'Approve, reject, fail, hold or release a job of the embedded service',
    description: 'approve and reject answer for the participant whose approval the job waits for.',
    role: 'operator',
    input: object(['jobId', 'act'], {
      jobId: { type: 'string', pattern: '^[0-9]{1,18}$', description: 'The id of the job.' },
      act: { enum: ['approve', 'reject', 'fail', 'hold', 'release'], description: 'What to do.' },
      partially: flag('With fail: it ends as PARTIAL_SUCCESS; only the format of its file was valid.'),
      reason: given.reason,
    }),
    output: object(['id', 'status'], { id: text('The job.'), status: text('Its status now.') }),
  }),
  'service.requests.list': apiOperation({
    method: 'GET',
    path: '/service/requests',
    summary: 'List the last requests to the embedded service',
    description: 'They are kept in memory, without tokens and bodies.',
    role: 'viewer',
    input: object([], {
      operation: given.text('Only requests of this operation.'),
      participant: ofParticipant,
      limit: given.limit(1000, 100),
    }),
    output: object(['requests'], { requests: list(service.serviceRequest, 'Newest first.') }),
  }),
  'service.faults.list': apiOperation({
    method: 'GET',
    path: '/service/faults',
    summary: 'List the faults that are switched on, and what can be made to fail',
    role: 'viewer',
    input: noFields,
    output: object(['faults', 'operations'], {
      faults: list(service.fault, 'Oldest first; the oldest that applies is taken.'),
      operations: list(service.faultChoice, 'What can fail, and how.'),
    }),
  }),
  'service.faults.add': apiOperation({
    method: 'POST',
    path: '/service/faults',
    summary: 'Switch a fault of the embedded service on',
    description: 'It lasts until it is switched off, or the service ends.',
    role: 'operator',
    input: object(FaultSpec.required, { ...FaultSpec.properties, reason: given.reason }),
    output: service.fault,
  }),
  'service.faults.remove': apiOperation({
    method: 'POST',
    path: '/service/faults/{fault}/remove',
    summary: 'Switch a fault of the embedded service off',
    role: 'operator',
    input: object(['fault'], {
      fault: { type: 'string', pattern: '^f[0-9]{1,15}$', description: 'The id of the fault.' },
      reason: given.reason,
    }),
    output: object(['id'], { id: text('The fault.') }),
  }),
} as const
