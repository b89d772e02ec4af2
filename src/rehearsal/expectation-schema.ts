import { operations } from '../contract/operations.ts'
import { RUN_STATUSES } from '../core/format/statuses.ts'
import { exactObject, type JsonSchema, limitedList, text } from '../core/json-schema.ts'
import { NOTIFY_EVENTS } from '../core/notify-rule.ts'
import { COUNTED_ACTIONS } from '../pipeline/plan-summary.ts'
import { WHOLE_EXPRESSION } from '../pipeline/schema-parts.ts'
import { RUN_ERROR_CODES } from './run-error-codes.ts'

/** The largest number that a test may contain. */
const MAX_COUNT = 1_000_000

export const shortText = (description: string) =>
  ({ type: 'string', minLength: 1, maxLength: 1000, description }) as const
export const boundedCount = (description: string, maximum = MAX_COUNT) =>
  ({ type: 'integer', minimum: 0, maximum, description }) as const
export const stepText = (description: string) =>
  shortText(`${description} A step by its id; in a forEach, such as \`audience[seg07].upload\`.`)

export const stepBelow = (description: string) =>
  stepText(`${description} In a pipeline that a step runs: \`refresh/ask\`.`)

export const ERROR_CODE_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'

/** The operations that change something at the service. */
export const WRITES = Object.entries(operations).flatMap(([id, { method }]) => (method === 'GET' ? [] : [id]))

const PLANNED: Readonly<Record<(typeof COUNTED_ACTIONS)[number], string>> = {
  upload: 'Files to upload.',
  create: 'Things to create.',
  update: 'Things to update.',
  refresh: 'Things to build again.',
  replace: 'Things to replace.',
  delete: 'Things to delete.',
  send: 'Messages and other requests to send.',
  run: 'Pipelines to run.',
  leave: 'Things that stay as they are.',
  afterRun: 'What is known only during the run.',
  fail: 'Steps that would fail.',
}

/** The schema of a map from names to counts. */
function counts(names: readonly string[], what: (name: string) => string, description: string) {
  const properties: Record<string, JsonSchema> = {}
  for (const name of names) properties[name] = boundedCount(what(name))
  return exactObject({ description, properties })
}

/** What should be true after an event of a test. */
export const expectationSchema = exactObject({
  description:
    'What should be true after the event. A test also fails if something happens that it does not name: a run that fails or waits and, with `writes`, any other write.',
  properties: {
    status: { enum: RUN_STATUSES, description: 'The status of the newest run.' },
    runs: counts(
      RUN_STATUSES,
      (status) => `Runs that are ${status}.`,
      'How many runs began or went on since the previous event, by their status; a status that is left out means none.',
    ),
    held: stepBelow('The step that waits for a person.'),
    error: {
      type: ['object', 'string'],
      additionalProperties: false,
      pattern: ERROR_CODE_PATTERN,
      description: 'Why the newest run failed: the code of its error, or a map.',
      properties: {
        code: { enum: RUN_ERROR_CODES, description: 'The code of the error.' },
        step: stepText('The step that failed.'),
      },
    },
    outputs: {
      type: 'object',
      additionalProperties: {},
      description: 'Outputs of the newest run. There may be other outputs, and further fields in a map.',
    },
    writes: counts(
      WRITES,
      (operation) => `How often ${operation} took effect.`,
      'The writes that took effect since the previous event, by operation; an operation that is left out means none.',
    ),
    notified: {
      type: 'object',
      additionalProperties: limitedList(
        { maxItems: 1000 },
        { enum: [...NOTIFY_EVENTS, 'answered', 'summary'] },
        'The events that the messages report, in any order.',
      ),
      description:
        'The messages to people since the previous event, by channel of audience.yaml; a channel that is left out means none.',
    },
    sent: {
      type: ['integer', 'array'],
      minimum: 0,
      maximum: MAX_COUNT,
      maxItems: 1000,
      items: exactObject({
        properties: {
          url: shortText('The address to which it went.'),
          body: { description: 'Its JSON; there may be further fields.' },
        },
      }),
      description:
        'The web hooks that steps sent since the previous event: how many, or the content of each, in order.',
    },
    live: counts(
      ['segments', 'matches', 'activations'],
      (things) => `How many ${things}.`,
      'How many things there are at the service.',
    ),
    plan: counts(
      COUNTED_ACTIONS,
      (action) => PLANNED[action as keyof typeof PLANNED],
      'What `audience plan` would say now, with the inputs of this event: how many steps, or items of a forEach, have each action; an action that is left out means none.',
    ),
    check: limitedList(
      { maxItems: 100 },
      text(WHOLE_EXPRESSION),
      `Conditions that must be true. They read \`run\` (the newest one: status, startedAt, finishedAt, inputs, outputs), \`runs\` (all of this event, oldest first) and \`steps\` (of the newest run: status, outputs).`,
    ),
  },
})
