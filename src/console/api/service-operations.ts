import { JOB_STATUSES } from '../../contract/enumerations.ts'
import { flag, list, noFields, type ObjectSchema, object, text } from '../../core/json-schema.ts'
import { type ControlOperationId, controlOperations } from '../../service/control/control-operations.ts'
import * as schemas from '../../service/control/control-schemas.ts'
import { FaultSpec } from '../../service/control/fault-rule.ts'
import type { ApiOperation, Fields } from './api-operation.ts'
import { given } from './given.ts'

/** One operation on the embedded service. It calls one operation of the control API and passes nothing else on. */
export interface ServiceOperation extends ApiOperation {
  /** The operation of the control API, and its input. */
  readonly control: (input: Fields) => readonly [ControlOperationId, object]
}

type Reads = {
  [Id in ControlOperationId]: (typeof controlOperations)[Id] extends { method: 'GET'; output: ObjectSchema }
    ? Id
    : never
}[ControlOperationId]

/** Makes an operation that passes on the response of an operation of the control API. */
function read<const Id extends Reads, const Input extends ObjectSchema>(
  id: Id,
  { summary, description, input }: { summary: string; description?: string; input: Input },
) {
  const { path, output } = controlOperations[id] as { path: PathOf<Id>; output: OutputOf<Id> }
  return {
    method: 'GET',
    path: `/service${path}`,
    role: 'viewer',
    ...{ summary, description, input, output },
    control: (fields: Fields) => [id, fields] as const,
  } as const
}
type PathOf<Id extends Reads> = (typeof controlOperations)[Id]['path']
type OutputOf<Id extends Reads> = (typeof controlOperations)[Id]['output']

function act<const Operation extends Omit<ServiceOperation, 'method' | 'role'>>(operation: Operation) {
  return { method: 'POST', role: 'operator', ...operation } as const
}

const newest = object([], { limit: given.limit(1000, 100) })
const ofParticipant = { type: 'integer', minimum: 1, description: 'Only entries of this participant.' } as const

/** The operations on the embedded service. If the daemon uses another service, they are refused with `not-embedded`. */
export const serviceOperations = {
  'service.clock.get': read('clock.get', { summary: 'Read the clock of the embedded service', input: noFields }),
  'service.clock.act': act({
    path: '/service/clock',
    summary: 'Freeze the clock of the embedded service, thaw it, or advance it',
    description:
      'After `advance`, every job that falls due in this time moves on at its own time. The answer comes when all these jobs are done.',
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
    output: schemas.clock,
    control: ({ act, ms }) => [`clock.${act as 'freeze' | 'thaw' | 'advance'}`, { ms }],
    audit: ({ act = '', ms }) => ({
      act: 'service.clock',
      subject: 'clock',
      detail: `${act}${ms === undefined ? '' : ` ${ms} ms`}`,
    }),
  }),
  'service.participants.list': {
    ...read('participants.list', {
      summary: 'List the participants of the embedded service',
      input: noFields,
    }),
    // The tokens are left out.
    output: object(['participants'], { participants: list(schemas.participant, 'The first one is the caller.') }),
  },
  'service.groups.list': read('groups.list', { summary: 'List the groups of the embedded service', input: noFields }),
  'service.segments.list': read('segments.list', {
    summary: 'List the segments at the embedded service',
    input: newest,
  }),
  'service.matches.list': read('matches.list', { summary: 'List the matches at the embedded service', input: newest }),
  'service.activations.list': read('activations.list', {
    summary: 'List the activations at the embedded service',
    input: newest,
  }),
  'service.jobs.list': read('jobs.list', {
    summary: 'List the jobs of the embedded service',
    input: object([], {
      id: { ...given.text('Only the job with this id.'), pattern: '^[0-9]{1,18}$' },
      status: { enum: JOB_STATUSES, description: 'Only jobs with this status.' },
      active: flag('true: only jobs that have not ended. false: only jobs that have ended.'),
      participant: ofParticipant,
      kind: given.text('Only jobs that this operation started.'),
      limit: given.limit(1000, 100),
    }),
  }),
  'service.jobs.act': act({
    path: '/service/jobs/{jobId}/acts',
    summary: 'Approve, reject, fail, hold or release a job of the embedded service',
    description: '`approve` and `reject` answer for the participant whose approval the job waits for.',
    input: object(['jobId', 'act'], {
      jobId: { type: 'string', pattern: '^[0-9]{1,18}$', description: 'The id of the job.' },
      act: { enum: ['approve', 'reject', 'fail', 'hold', 'release'], description: 'What to do.' },
      partially: flag('With `fail`: the job ends as PARTIAL_SUCCESS, as if only the format of its file was valid.'),
      reason: given.reason,
    }),
    output: object(['id', 'status'], { id: text('The job.'), status: text('Its status now.') }),
    control: ({ act, jobId, partially }) => [
      `jobs.${act as 'approve' | 'reject' | 'fail' | 'hold' | 'release'}`,
      { id: jobId, partially },
    ],
    audit: ({ jobId, act = '', partially }) => ({
      act: 'service.job',
      subject: `job ${jobId}`,
      detail: `${act}${partially === true ? ' partially' : ''}`,
    }),
  }),
  'service.requests.list': read('requests.list', {
    summary: 'List the last requests to the embedded service',
    description: 'They are kept in memory, without tokens and bodies.',
    input: object([], {
      operation: given.text('Only requests of this operation.'),
      participant: ofParticipant,
      limit: given.limit(1000, 100),
    }),
  }),
  'service.faults.list': read('faults.list', {
    summary: 'List the faults that are switched on, and which operations can be made to fail',
    input: noFields,
  }),
  'service.faults.add': act({
    path: '/service/faults',
    summary: 'Switch a fault of the embedded service on',
    description: 'The fault stays on until it is switched off or the service ends.',
    input: object(FaultSpec.required, { ...FaultSpec.properties, reason: given.reason }),
    output: schemas.fault,
    control: ({ reason: _reason, ...spec }) => ['faults.add', spec],
    audit: ({ operation = '', reason: _reason, ...spec }) => ({
      act: 'service.fault',
      subject: `${operation}`,
      detail: ['on', ...Object.entries(spec).map(([name, value]) => `${name} ${value}`)].join(', '),
    }),
  }),
  'service.faults.remove': act({
    path: '/service/faults/{fault}/remove',
    summary: 'Switch a fault of the embedded service off',
    input: object(['fault'], {
      fault: { type: 'string', pattern: '^f[0-9]{1,15}$', description: 'The id of the fault.' },
      reason: given.reason,
    }),
    output: object(['id'], { id: text('The fault.') }),
    control: ({ fault }) => ['faults.delete', { id: fault }],
    audit: ({ fault }) => ({ act: 'service.fault', subject: `fault ${fault}`, detail: 'off' }),
  }),
} as const
