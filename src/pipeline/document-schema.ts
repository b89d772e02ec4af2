import { TERMINAL_JOB_STATUSES } from '../contract/enumerations.ts'
import { notifyRuleProperties } from '../core/notify-rule.ts'
import { FIELD_TYPES, INPUT_TYPES, ITEM_TYPES, RETRY_REASONS } from '../core/pipeline.ts'
import {
  condition,
  duration,
  durationOr,
  ID_PATTERN,
  MAX_DECLARATIONS,
  MAX_STEPS,
  NAME_PATTERN,
  PERCENT_PATTERN,
  PIPELINE_NAME_PATTERN,
  template,
  text,
} from './schema-parts.ts'
import { trigger } from './trigger-schema.ts'

/** A `retry`; without one a step is attempted once. */
export const retry = {
  type: 'object',
  description: 'Whether and when a step that failed is attempted again.',
  additionalProperties: false,
  properties: {
    maxAttempts: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 3,
      description: 'Attempts in all.',
    },
    delay: durationOr('10s', 'The wait before the second attempt.'),
    backoff: {
      type: 'number',
      minimum: 1,
      maximum: 10,
      default: 2,
      description: 'What the wait is multiplied by each time.',
    },
    maxDelay: durationOr('5m', 'The longest wait.'),
    on: {
      type: 'array',
      minItems: 1,
      items: { enum: RETRY_REASONS },
      default: ['jobFailed', 'unavailable'],
      description: 'Which failures are worth it.',
    },
  },
} as const

export const awaitRule = {
  type: ['object', 'boolean'],
  description: 'How to wait for the job that the step starts; false goes on as soon as the job is started.',
  additionalProperties: false,
  properties: {
    timeout: durationOr('24h', 'The longest wait; then the step fails, and a retry of the run waits for the same job.'),
    approvalTimeout: durationOr('7d', 'The longest wait for a person at another participant.'),
    poll: {
      type: 'object',
      additionalProperties: false,
      description: 'How often the job is read.',
      properties: {
        initial: durationOr('500ms', 'The shortest time between two reads.'),
        max: durationOr('30s', 'The longest time between two reads.'),
      },
    },
    accept: {
      type: 'array',
      minItems: 1,
      items: { enum: TERMINAL_JOB_STATUSES },
      default: ['SUCCESS'],
      description: 'The job statuses that count as success.',
    },
  },
} as const

const values = {
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  uniqueItems: true,
  items: { type: 'string' },
  description: 'Of an enum: the values that it can have.',
} as const

/** Matches one of the names. */
const oneName = (names: readonly string[]) => `^(${names.join('|')})$`
export const ITEM_TYPE_PATTERN = oneName(ITEM_TYPES)
export const FIELD_TYPE_PATTERN = oneName(FIELD_TYPES)

/** A type by its name, or the whole declaration. */
const field = {
  type: ['string', 'object'],
  pattern: FIELD_TYPE_PATTERN,
  required: ['type'],
  additionalProperties: false,
  description: 'The type of a field, or what an input has: type, description, default, values.',
  properties: {
    type: { enum: FIELD_TYPES, description: 'What kind of value it is. A file is a path relative to this document.' },
    description: text('What it is for.'),
    default: { description: 'Its value if an entry does not give one. Without a default, every entry must give one.' },
    values,
  },
} as const

const input = {
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  description: 'A value that a run is given.',
  properties: {
    type: { enum: INPUT_TYPES, description: 'What kind of value it is. A file is a path relative to this document.' },
    description: text('What it is for.'),
    default: { description: 'Its value if a run does not give one. Without a default, a run must give one.' },
    values,
    items: {
      type: ['string', 'object'],
      pattern: ITEM_TYPE_PATTERN,
      minProperties: 1,
      maxProperties: MAX_DECLARATIONS,
      additionalProperties: field,
      description:
        'Of a list: the type of its items, or, for a list of objects, their fields: a type by name, or what an input has. Default: string.',
    },
  },
} as const

export const forEach = {
  type: 'object',
  required: ['items'],
  additionalProperties: false,
  description:
    'Runs the step, or the `steps`, once for every item of a list; the outputs are then a list in the same order. In expressions, `index` is the place of the item.',
  properties: {
    items: { description: 'The list, or an expression that gives it.' },
    as: { type: 'string', pattern: NAME_PATTERN, default: 'item', description: 'The name of the item in expressions.' },
    key: template('The name of an item in the history: a text or an integer, unique in the list. Default: its index.'),
    maxParallel: { type: 'integer', minimum: 1, maximum: 100, default: 4, description: 'How many at the same time.' },
    maxFailures: {
      type: ['integer', 'string'],
      minimum: 0,
      pattern: PERCENT_PATTERN,
      description:
        'How many items may fail, as a count or as a share such as "5%". With one more the step fails, and no further item begins. Default: 0.',
    },
  },
} as const

export const learn = {
  type: ['object', 'boolean'],
  description: 'How it learns from earlier values; false: only min and max count.',
  additionalProperties: false,
  properties: {
    runs: {
      type: 'integer',
      minimum: 1,
      maximum: 365,
      default: 30,
      description: 'From how many good runs it learns, the newest ones.',
    },
    warmUp: {
      type: 'integer',
      minimum: 1,
      maximum: 365,
      default: 7,
      description: 'How many values it needs before it judges.',
    },
  },
} as const

const guardLimit = (description: string) =>
  ({ type: ['number', 'string'], description: `${description} A number, or one whole expression: \${{ … }}.` }) as const

export const guard = {
  type: 'object',
  required: ['of'],
  additionalProperties: false,
  description: 'Holds the run if a number is not what it was in earlier runs, before anything after the step begins.',
  properties: {
    of: condition('The number; outputs are those of this step.'),
    learn,
    min: guardLimit('The least that it may be, from the first run on.'),
    max: guardLimit('The most that it may be, from the first run on.'),
    onBreach: {
      enum: ['approve', 'fail', 'warn'],
      default: 'approve',
      description:
        'What happens otherwise: a person must approve, the step fails, or people are told and the run goes on.',
    },
  },
} as const

const ownKeys = {
  id: { type: 'string', pattern: ID_PATTERN, description: 'Its name in expressions, steps.ID, and in the history.' },
  name: text('What people see instead of the id.'),
  uses: text('The step type, such as files.upload.'),
  with: { type: 'object', description: 'What the step type takes.' },
  needs: {
    type: 'array',
    uniqueItems: true,
    items: { type: 'string' },
    description: 'The steps that must end before this one begins. Default: the step above; [] for none.',
  },
  if: condition('The step is skipped when this is false.'),
  await: awaitRule,
  retry,
  timeout: duration('The longest time for one attempt, waiting for its job included.'),
  expect: {
    type: 'array',
    description: 'What has to hold for its outputs; the step fails otherwise.',
    items: {
      type: 'object',
      required: ['check'],
      additionalProperties: false,
      properties: {
        check: condition('What has to hold; outputs are those of this step.'),
        message: template('What to say when it does not.'),
      },
    },
  },
  guard,
  continueOnError: { type: 'boolean', description: 'The run goes on, and can succeed, although this step failed.' },
} as const

/** A step of a forEach. */
const innerStep = {
  type: 'object',
  required: ['id', 'uses'],
  additionalProperties: false,
  description: 'One piece of work, done for each item.',
  properties: ownKeys,
} as const

const step = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  description: 'One piece of work; or, with `forEach` and `steps`, several for each item of a list.',
  properties: {
    ...ownKeys,
    forEach,
    steps: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_STEPS,
      items: innerStep,
      description: 'What is done for each item, instead of `uses`: each after the one above unless it says needs.',
    },
  },
  if: { required: ['steps'] },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: { required: ['forEach'] },
  else: { required: ['uses'] },
} as const

/** The keys of a step that a forEach over several steps leaves to these. */
export const KEYS_OF_INNER_STEPS = ['uses', 'with', 'await', 'retry', 'timeout', 'expect', 'guard'] as const

export const concurrency = {
  type: 'object',
  required: ['group'],
  additionalProperties: false,
  description:
    'Keeps runs apart: at most `limit` runs of a group run at once, in all documents that name the group. A run counts until it has ended.',
  properties: {
    group: template('The name of the group.'),
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 1,
      description: 'How many of its runs may run at once.',
    },
    onConflict: {
      enum: ['queue', 'skip', 'cancelRunning', 'fail'],
      default: 'queue',
      description:
        'What becomes of a run that finds its group full: it waits, is not made, has the oldest of the group cancelled and takes their place, or is refused.',
    },
  },
} as const

const steps = (description: string) => ({ type: 'array', maxItems: MAX_STEPS, items: step, description }) as const

/** The envelope of a pipeline document, version 1: everything except expressions and the inputs of step types. */
export const documentSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Audience pipeline',
  type: 'object',
  required: ['version', 'name', 'steps'],
  additionalProperties: false,
  properties: {
    version: { const: 1, description: 'The version of this format: 1.' },
    name: {
      type: 'string',
      pattern: PIPELINE_NAME_PATTERN,
      maxLength: 100,
      description: 'The name of the pipeline, under which the history keeps it.',
    },
    description: text('What it is for.'),
    inputs: {
      type: 'object',
      maxProperties: MAX_DECLARATIONS,
      additionalProperties: input,
      description: 'The values that a run is given, by name.',
    },
    variables: {
      type: 'object',
      maxProperties: MAX_DECLARATIONS,
      description:
        'Values that are computed once when a run begins, from inputs, trigger, run and the variables above. Expressions read variables.NAME.',
    },
    env: {
      type: 'array',
      maxItems: MAX_DECLARATIONS,
      uniqueItems: true,
      items: { type: 'string', pattern: NAME_PATTERN },
      description: 'The environment variables that expressions may read as env.NAME. Their values are kept secret.',
    },
    triggers: {
      type: 'array',
      maxItems: MAX_DECLARATIONS,
      items: trigger,
      description: 'What starts runs by itself, under audience start.',
    },
    concurrency,
    notify: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description:
        'Which channels get which messages about runs of this pipeline, instead of what audience.yaml says. Channels are declared there.',
      properties: notifyRuleProperties,
    },
    timeout: duration('The longest time for a run, counted from when it begins.'),
    defaults: {
      type: 'object',
      additionalProperties: false,
      description: 'What holds for every step that does not say otherwise.',
      properties: { retry, await: awaitRule },
    },
    steps: { ...steps('What is done, each after the one above unless it says needs.'), minItems: 1 },
    outputs: { type: 'object', description: 'What the run gives, by name.' },
    onFailure: steps('Done one after another when a step failed.'),
    finally: steps('Done one after another at the end, whatever happened.'),
  },
} as const
