import { operations } from '../../contract/operations.ts'
import { type JsonSchema, object, type Static } from '../../core/json-schema.ts'

export const FAULT_ACTIONS = [
  'status',
  'delay',
  'resetBefore',
  'resetAfter',
  'truncate',
  'garbage',
  'duplicate',
  'lag',
] as const
export type FaultAction = (typeof FAULT_ACTIONS)[number]

/** How requests to an operation should fail. */
export const FaultSpec = {
  title: 'Fault rule',
  ...object(['operation', 'action'], {
    operation: {
      type: 'string',
      enum: ['*', ...Object.keys(operations)],
      description: 'Operation id, such as `segments.create`, or `*` for every operation that the action fits.',
    },
    action: {
      enum: FAULT_ACTIONS,
      description:
        '`status`: the request is answered with `status`, and nothing is done. `delay`: the operation is done later. `resetBefore`: the connection breaks and nothing is done. `resetAfter`: the operation is done, then the connection breaks. `truncate`: the operation is done, but only half of the answer arrives. `garbage`: the operation is done, but the answer is unreadable. `duplicate`: a list repeats a row of the previous page. `lag`: what the operation made is not found for a while.',
    },
    nth: {
      type: 'integer',
      minimum: 1,
      description:
        'The number of the first request that it applies to, from 1. If it is given, the default of `times` is 1.',
    },
    probability: { type: 'number', minimum: 0, maximum: 1, description: 'The share of requests that it applies to.' },
    seed: { type: 'integer', minimum: 0, description: 'Another seed picks other requests; default 0.' },
    times: { type: 'integer', minimum: 1, description: 'The largest number of requests that it applies to.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'Status of the answer.' },
    delayMs: {
      type: 'integer',
      minimum: 0,
      maximum: 86_400_000,
      description: 'Milliseconds: for `delay` on the machine’s clock, for `lag` on the service’s.',
    },
    retryAfter: {
      type: ['integer', 'string'],
      minimum: 0,
      minLength: 1,
      maxLength: 40,
      pattern: '^[ -~]+$',
      description: 'The Retry-After header of `status`: seconds, or an HTTP date.',
    },
    garbage: {
      enum: ['html', 'json'],
      description: 'An HTML page, or JSON that breaks off; default `html`.',
    },
  }),
} as const
export type FaultSpec = Static<typeof FaultSpec>

const needs = (field: string, actions: readonly FaultAction[]): JsonSchema => ({
  description: `${field} is required with the action ${actions.join(' or ')}`,
  if: { required: ['action'], properties: { action: { enum: actions } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: [field] },
})

const belongsTo = (fields: readonly string[], actions: readonly FaultAction[]): JsonSchema => ({
  description: `${fields.join(' and ')} can be given only with the action ${actions.join(' or ')}`,
  if: { required: ['action'], properties: { action: { not: { enum: actions } } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: Object.fromEntries(fields.map((field) => [field, false])) },
})

export const FAULT_RULES: readonly JsonSchema[] = [
  { description: 'only one of nth and probability can be given', not: { required: ['nth', 'probability'] } },
  needs('status', ['status']),
  needs('delayMs', ['delay', 'lag']),
  belongsTo(['status', 'retryAfter'], ['status']),
  belongsTo(['delayMs'], ['delay', 'lag']),
  belongsTo(['garbage'], ['garbage']),
]
