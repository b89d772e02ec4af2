import { flag, list, type ObjectSchema, object, text } from '../../core/json-schema.ts'
import { idField, limitField } from '../../service/control/control-operation.ts'
import { type ControlOperationId, controlOperations } from '../../service/control/control-operations.ts'
import * as schemas from '../../service/control/control-schemas.ts'
import { FaultSpec } from '../../service/control/fault-rule.ts'
import type { ApiOperation, Fields } from './api-operation.ts'
import { given } from './given.ts'

/**
 * One operation on the embedded service. It calls one operation of the control API, with only the input that `control`
 * returns.
 */
export interface ServiceOperation extends ApiOperation {
  /** The operation of the control API, and its input. */
  readonly control: (input: Fields) => readonly [ControlOperationId, object]
}

type Controls = typeof controlOperations
type Reads = {
  [Id in ControlOperationId]: Controls[Id] extends { method: 'GET'; output: ObjectSchema } ? Id : never
}[ControlOperationId]

/** Makes an operation that passes on the response of an operation of the control API, and takes its input. */
function read<const Id extends Reads>(id: Id, about: { summary: string; description?: string }) {
  const { path, input, output }: Pick<Controls[Id], 'path' | 'input' | 'output'> = controlOperations[id]
  return {
    method: 'GET',
    path: `/service${path}`,
    role: 'viewer',
    ...about,
    input,
    output,
    control: (fields: Fields) => [id, fields] as const,
  } as const
}

function act<const Operation extends Omit<ServiceOperation, 'method' | 'role'>>(operation: Operation) {
  return { method: 'POST', role: 'operator', ...operation } as const
}

const jobFilters = controlOperations['jobs.list'].input.properties
const requestFilters = controlOperations['requests.list'].input.properties

/** The operations on the embedded service. If the daemon uses another service, they are refused with `not-embedded`. */
export const serviceOperations = {
  'service.clock.get': read('clock.get', { summary: 'Read the clock of the embedded service' }),
  'service.clock.act': act({
    path: '/service/clock',
    summary: 'Freeze the clock of the embedded service, thaw it, or advance it',
    description:
      'After `advance`, each job that falls due in this period moves on at its own due time. The response is sent when all these jobs are done.',
    input: object(['act'], {
      act: { enum: ['freeze', 'thaw', 'advance'], description: 'What to do.' },
      ms: controlOperations['clock.advance'].input.properties.ms,
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
    ...read('participants.list', { summary: 'List the participants of the embedded service' }),
    // The tokens are left out.
    output: object(['participants'], { participants: list(schemas.participant, 'The first one is the caller.') }),
  },
  'service.groups.list': read('groups.list', { summary: 'List the groups of the embedded service' }),
  'service.segments.list': read('segments.list', { summary: 'List the segments at the embedded service' }),
  'service.matches.list': read('matches.list', { summary: 'List the matches at the embedded service' }),
  'service.activations.list': read('activations.list', { summary: 'List the activations at the embedded service' }),
  'service.jobs.list': {
    ...read('jobs.list', { summary: 'List the jobs of the embedded service' }),
    input: object([], { ...jobFilters, kind: given.text(jobFilters.kind.description) }),
  },
  'service.jobs.act': act({
    path: '/service/jobs/{jobId}/acts',
    summary: 'Approve, reject, fail, hold or release a job of the embedded service',
    description: '`approve` and `reject` answer for the participant whose approval the job waits for.',
    input: object(['jobId', 'act'], {
      jobId: idField('The id of the job.'),
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
  'service.requests.list': {
    ...read('requests.list', {
      summary: 'List the last requests to the embedded service',
      description: 'They are kept in memory, without tokens and bodies.',
    }),
    // The embedded service refuses an operation that it does not know.
    input: object([], {
      ...requestFilters,
      operation: given.text(requestFilters.operation.description),
      limit: limitField(1000),
    }),
  },
  'service.faults.list': read('faults.list', {
    summary: 'List the faults that are switched on, and which operations can be made to fail',
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
