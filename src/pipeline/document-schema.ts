import { exactObject, integer, limitedList, text } from '../core/json-schema.ts'
import { notifyRuleProperties, SEVERITIES } from '../core/notify-rule.ts'
import { FIELD_TYPES, INPUT_TYPES, ITEM_TYPES } from '../core/pipeline.ts'
import { duration, MAX_DECLARATIONS, MAX_STEPS, NAME_PATTERN, PIPELINE_NAME_PATTERN, template } from './schema-parts.ts'
import { awaitRule, retry, step } from './step-schema.ts'
import { trigger } from './trigger-schema.ts'

const values = limitedList(
  { minItems: 1, maxItems: 1000, uniqueItems: true },
  { type: 'string' },
  'For an enum: the values that it can have.',
)

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
  description: 'The type of a field, or the keys of an input: type, description, default, values.',
  properties: {
    type: { enum: FIELD_TYPES, description: 'What kind of value it is. A file is a path relative to this document.' },
    description: text('What it is for.'),
    default: { description: 'Its value if an entry does not give one. Without a default, every entry must give one.' },
    values,
  },
} as const

const input = exactObject({
  required: ['type'],
  description: 'An input of a run.',
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
        'For a list: the type of its items. For a list of objects: their fields, each with the name of a type or with the keys of an input. Default: string.',
    },
  },
})

export const concurrency = exactObject({
  required: ['group'],
  description:
    'Keeps runs apart: at most `limit` runs of a group run at once, across all documents that name the group. A run counts until it has ended.',
  properties: {
    group: template('The name of the group.'),
    limit: integer({ minimum: 1, maximum: 1000, default: 1 }, 'How many runs of the group may run at once.'),
    onConflict: {
      enum: ['queue', 'skip', 'cancelRunning', 'fail'],
      default: 'queue',
      description:
        'What happens to a run whose group is full: it waits; it is not made; it replaces the oldest runs of the group, which are cancelled; or it is refused.',
    },
  },
})

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
      description: 'The name of the pipeline, also in the history.',
    },
    description: text('What the pipeline is for.'),
    owner: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description:
        'The person or team that is responsible for it. Messages name them, and routes of audience.yaml can match them.',
    },
    inputs: {
      type: 'object',
      maxProperties: MAX_DECLARATIONS,
      additionalProperties: input,
      description: 'The inputs of a run, by name.',
    },
    variables: {
      type: 'object',
      maxProperties: MAX_DECLARATIONS,
      description:
        'Values that are computed once when a run begins, from inputs, trigger, run and the variables above. Expressions read variables.NAME.',
    },
    env: limitedList(
      { maxItems: MAX_DECLARATIONS, uniqueItems: true },
      { type: 'string', pattern: NAME_PATTERN },
      'The environment variables that expressions may read as env.NAME. Their values are kept secret.',
    ),
    triggers: limitedList(
      { maxItems: MAX_DECLARATIONS },
      trigger,
      'What starts runs automatically while audience start is running.',
    ),
    concurrency,
    notify: exactObject({
      minProperties: 1,
      description:
        'Which channels get which messages about runs of this pipeline, instead of what audience.yaml says. Channels are declared there.',
      properties: {
        ...notifyRuleProperties,
        severity: {
          enum: SEVERITIES,
          description:
            'How much depends on this pipeline. Messages show it, and routes of audience.yaml can match it; for routes the default is error.',
        },
      },
    }),
    timeout: duration('The longest time for a run, counted from when it begins.'),
    defaults: exactObject({
      description: 'Defaults for every step that does not set them.',
      properties: { retry, await: awaitRule },
    }),
    steps: { ...steps('The steps. Each begins after the one above, unless it has needs.'), minItems: 1 },
    outputs: { type: 'object', description: 'The outputs of the run, by name.' },
    onFailure: steps('Steps that run one after another when a step has failed.'),
    finally: steps('Steps that run one after another at the end, whatever happened.'),
  },
} as const
