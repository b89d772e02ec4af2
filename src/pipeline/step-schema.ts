import { TERMINAL_JOB_STATUSES } from '../contract/enumerations.ts'
import { NOT_BY } from '../core/approval.ts'
import { exactObject, flag, integer, limitedList, list, matching, number, text } from '../core/json-schema.ts'
import { RETRY_REASONS } from '../core/pipeline.ts'
import {
  condition,
  duration,
  durationOr,
  ID_PATTERN,
  MAX_STEPS,
  NAME_PATTERN,
  PERCENT_PATTERN,
  template,
} from './schema-parts.ts'

/** A `retry`; without one a step is attempted once. */
export const retry = exactObject({
  description: 'Whether and when a failed step is attempted again.',
  properties: {
    maxAttempts: integer({ minimum: 1, maximum: 100, default: 3 }, 'The total number of attempts.'),
    delay: durationOr('10s', 'The wait before the second attempt.'),
    backoff: number({ minimum: 1, maximum: 10, default: 2 }, 'Each wait is this many times as long as the one before.'),
    maxDelay: durationOr('5m', 'The longest wait.'),
    on: {
      type: 'array',
      minItems: 1,
      items: { enum: RETRY_REASONS },
      default: ['jobFailed', 'unavailable'],
      description: 'Which failures lead to another attempt.',
    },
  },
})

export const awaitRule = {
  type: ['object', 'boolean'],
  description:
    'How to wait for the job that the step starts; with false, the run goes on as soon as the job is started.',
  additionalProperties: false,
  properties: {
    timeout: durationOr('24h', 'The longest wait; then the step fails, and a retry of the run waits for the same job.'),
    approvalTimeout: durationOr('7d', 'The longest wait for a person at another participant.'),
    poll: exactObject({
      description: 'How often the job is read.',
      properties: {
        initial: durationOr('500ms', 'The shortest time between two reads.'),
        max: durationOr('30s', 'The longest time between two reads.'),
      },
    }),
    accept: {
      type: 'array',
      minItems: 1,
      items: { enum: TERMINAL_JOB_STATUSES },
      default: ['SUCCESS'],
      description: 'The job statuses that count as success.',
    },
  },
} as const

export const forEach = exactObject({
  required: ['items'],
  description:
    'Runs the step, or the `steps`, once for every item of a list; the outputs are then a list in the same order. In expressions, `index` is the position of the item.',
  properties: {
    items: { description: 'The list, or an expression that returns it.' },
    as: { type: 'string', pattern: NAME_PATTERN, default: 'item', description: 'The name of the item in expressions.' },
    key: template('The name of an item in the history: a text or an integer, unique in the list. Default: its index.'),
    maxParallel: integer({ minimum: 1, maximum: 100, default: 4 }, 'How many items run at the same time.'),
    maxFailures: {
      type: ['integer', 'string'],
      minimum: 0,
      pattern: PERCENT_PATTERN,
      description:
        'How many items may fail, as a count or as a share such as "5%". If one more fails, the step fails, and no further item begins. Default: 0.',
    },
  },
})

export const learn = {
  type: ['object', 'boolean'],
  description: 'How it learns from earlier values; with false, only min and max count.',
  additionalProperties: false,
  properties: {
    runs: integer(
      { minimum: 1, maximum: 365, default: 30 },
      'How many good runs it learns from; it uses the newest ones.',
    ),
    warmUp: integer({ minimum: 1, maximum: 365, default: 7 }, 'How many values it needs before it judges.'),
  },
} as const

const guardLimit = (description: string) =>
  ({ type: ['number', 'string'], description: `${description} A number, or one whole expression: \${{ … }}.` }) as const

export const guard = exactObject({
  required: ['of'],
  description: 'Holds the run before any later step begins, if a number differs too much from earlier runs.',
  properties: {
    of: condition('The number; outputs are the outputs of this step.'),
    learn,
    min: guardLimit('The smallest allowed value, from the first run on.'),
    max: guardLimit('The largest allowed value, from the first run on.'),
    onBreach: {
      enum: ['approve', 'fail', 'warn'],
      default: 'approve',
      description:
        'What happens if it differs: a person must approve, the step fails, or people are told and the run goes on.',
    },
    notBy: {
      enum: NOT_BY,
      description: 'Who may not approve. submitter: whoever started the run, or gave it its file or its slot.',
    },
  },
})

const ownKeys = {
  id: matching(ID_PATTERN, 'Its name in expressions, steps.ID, and in the history.'),
  name: text('What people see instead of the id.'),
  uses: text('The step type, such as files.upload.'),
  with: { type: 'object', description: 'The fields that the step type takes.' },
  needs: limitedList(
    { uniqueItems: true },
    { type: 'string' },
    'The steps that must end before this one begins. Default: the step above; [] for none.',
  ),
  if: condition('The step is skipped when this is false.'),
  await: awaitRule,
  retry,
  timeout: duration('The longest time for one attempt, including the wait for its job.'),
  expect: list(
    exactObject({
      required: ['check'],
      properties: {
        check: condition('The condition; outputs are the outputs of this step.'),
        message: template('The message if the condition is false.'),
      },
    }),
    'Conditions for its outputs; if one is false, the step fails.',
  ),
  guard,
  continueOnError: flag('The run goes on, and can succeed, even if this step fails.'),
} as const

/** A step of a forEach. */
const innerStep = exactObject({
  required: ['id', 'uses'],
  description: 'One piece of work, done for each item.',
  properties: ownKeys,
})

export const step = exactObject({
  required: ['id'],
  description: 'One piece of work or, with `forEach` and `steps`, several for each item of a list.',
  properties: {
    ...ownKeys,
    forEach,
    steps: limitedList(
      { minItems: 1, maxItems: MAX_STEPS },
      innerStep,
      'The steps for each item, instead of `uses`. Each begins after the one above, unless it has needs.',
    ),
  },
  if: { required: ['steps'] },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: { required: ['forEach'] },
  else: { required: ['uses'] },
})

/** Keys that a forEach over several steps does not take, because its inner steps have them. */
export const KEYS_OF_INNER_STEPS = ['uses', 'with', 'await', 'retry', 'timeout', 'expect', 'guard'] as const
