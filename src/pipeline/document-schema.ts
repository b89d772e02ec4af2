import { FILE_SIGNALS, TERMINAL_JOB_STATUSES } from '../contract/enumerations.ts'
import { DURATION_PATTERN } from '../core/duration.ts'
import { notifyRuleProperties } from '../core/notify-rule.ts'
import { INPUT_TYPES, RETRY_REASONS, WEEKDAYS } from '../core/pipeline.ts'

/** What ids of steps and triggers look like. */
export const ID_PATTERN = '^[a-z][A-Za-z0-9_]*$'
/** What an expression can name with a dot. */
export const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]*$'
/** The name of a pipeline. */
export const PIPELINE_NAME_PATTERN = '^[a-z0-9][a-z0-9_-]*$'

/** Steps of one section; checking takes the square of it. */
export const MAX_STEPS = 500
/** Inputs, environment variables and triggers of a document. */
export const MAX_DECLARATIONS = 200

const duration = (description: string) =>
  ({ type: 'string', pattern: DURATION_PATTERN, description: `${description} Such as 30s, 15m, 2h or 7d.` }) as const
const text = (description: string) => ({ type: 'string', description }) as const
/** How the descriptions of places end that take one expression and nothing else. */
export const WHOLE_EXPRESSION = `One whole expression: \${{ … }}.`
/** How the descriptions of places end that are evaluated as text. */
export const MAY_HOLD_EXPRESSIONS = 'May hold expressions.'
const template = (description: string) =>
  ({ type: 'string', description: `${description} ${MAY_HOLD_EXPRESSIONS}` }) as const
const condition = (description: string) =>
  ({ type: 'string', description: `${description} ${WHOLE_EXPRESSION}` }) as const

const retry = {
  type: 'object',
  description: 'Whether and when a step that failed is attempted again.',
  additionalProperties: false,
  properties: {
    maxAttempts: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      description: 'Attempts in all; 3 where it is not given.',
    },
    delay: duration('The wait before the second attempt; 10s where it is not given.'),
    backoff: {
      type: 'number',
      minimum: 1,
      maximum: 10,
      description: 'What the wait is multiplied by each time; 2 where it is not given.',
    },
    maxDelay: duration('The longest wait; 5m where it is not given.'),
    on: {
      type: 'array',
      minItems: 1,
      items: { enum: RETRY_REASONS },
      description: 'Which failures are worth it; jobFailed and unavailable where it is not given.',
    },
  },
} as const

const awaitRule = {
  type: ['object', 'boolean'],
  description: 'How to wait for the job that the step starts; false goes on as soon as the job is started.',
  additionalProperties: false,
  properties: {
    timeout: duration(
      'The longest wait; then the step fails, and resuming the run waits on. 24h where it is not given.',
    ),
    approvalTimeout: duration('The longest wait for a person at another participant; 7d where it is not given.'),
    poll: {
      type: 'object',
      additionalProperties: false,
      description: 'How often the job is read.',
      properties: {
        initial: duration('The shortest time between two reads; 500ms where it is not given.'),
        max: duration('The longest time between two reads; 30s where it is not given.'),
      },
    },
    accept: {
      type: 'array',
      minItems: 1,
      items: { enum: TERMINAL_JOB_STATUSES },
      description: 'The job statuses that count as success; SUCCESS where it is not given.',
    },
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
    default: { description: 'What it is when it is not given. Without a default it has to be given.' },
    values: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      items: { type: 'string' },
      description: 'Of an enum: the values that it can have.',
    },
    items: {
      enum: ['string', 'integer', 'number', 'boolean', 'file', 'date'],
      description: 'Of a list: what its items are; string where it is not given.',
    },
  },
} as const

const schedule = {
  type: 'object',
  required: ['cron'],
  additionalProperties: false,
  description: 'Starts runs at times.',
  properties: {
    cron: text(
      'When: minute, hour, day of the month, month, day of the week, such as "0 2 * * *" or "*/15 9-17 * * mon-fri". With both a day of the month and a day of the week, either will do. A time that a clock change leaves out comes just after it.',
    ),
    timezone: text('Whose clock: an IANA time zone, such as America/New_York; UTC where it is not given.'),
    missed: {
      enum: ['none', 'last', 'all'],
      description:
        'What happens to the times that passed while nothing ran: no run, one run for the last of them, or a run for each; last where it is not given. What gets no run is recorded as missed. A minute late is on time.',
    },
    catchupWindow: duration('How long after its time a run that was missed still starts; 1d where it is not given.'),
    overlap: {
      enum: ['skip', 'queue', 'cancelRunning', 'allow'],
      description: 'What happens when the last run is still going on; skip where it is not given.',
    },
    jitter: duration(
      'Starts up to so much later, so that not all start at once; always the same for one time. 0s where it is not given.',
    ),
    repeatedHour: {
      enum: ['once', 'twice'],
      description:
        'When clocks go back, whether the times of the repeated hour come the first time only, or twice, as for a job of every quarter of an hour; once where it is not given.',
    },
    exclude: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description: 'Days on which it does not start runs, in its time zone.',
      properties: {
        dates: {
          type: 'array',
          maxItems: 1000,
          items: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
          description: 'Dates, such as 2026-12-25.',
        },
        weekdays: { type: 'array', uniqueItems: true, items: { enum: WEEKDAYS }, description: 'Days of the week.' },
        file: text(
          'A calendar (.ics), whose events take out every day that they touch, or a text with a date a line and # comments; relative to this document.',
        ),
      },
    },
    deadline: {
      type: 'string',
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      description:
        'The time of day, in its time zone, by which a run is to have ended, such as "06:00"; people are told where it has not.',
    },
  },
} as const

const watch = {
  type: 'object',
  required: ['path', 'pattern', 'done', 'failed'],
  additionalProperties: false,
  description: 'Starts a run for every file that is dropped into a folder.',
  properties: {
    path: text('The folder, relative to this document.'),
    pattern: text('Which files, such as "*.csv".'),
    settle: duration('For how long a file has to stay as it is before it is taken; 2s where it is not given.'),
    done: text('The folder that files of successful runs are moved to.'),
    failed: text('The folder that files of failed runs are moved to.'),
    repeat: {
      type: 'boolean',
      description: 'Whether a file whose content has had a run before gets another one; false where it is not given.',
    },
    precheck: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description: 'What a file has to be like before a run is made of it; one that is not goes to `failed`.',
      properties: {
        maxBytes: {
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Its size; 157286400 (150 MB) where it is not given.',
        },
        signal: { enum: FILE_SIGNALS, description: 'What its rows are to be.' },
        minimumShare: {
          type: 'number',
          minimum: 0,
          maximum: 1,
          description: 'The share of rows that have to be of the signal; 0.9 where it is not given.',
        },
      },
    },
  },
} as const

const trigger = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  description: 'What starts runs by itself: a schedule or a watched folder.',
  properties: {
    id: { type: 'string', pattern: ID_PATTERN, description: 'Its name in the history.' },
    schedule,
    watch,
    if: condition('No run is made when this is false.'),
    inputs: { type: 'object', description: 'Inputs of the runs that it starts; trigger.file is the file of a watch.' },
  },
} as const

const step = {
  type: 'object',
  required: ['id', 'uses'],
  additionalProperties: false,
  description: 'One piece of work.',
  properties: {
    id: { type: 'string', pattern: ID_PATTERN, description: 'Its name in expressions, steps.ID, and in the history.' },
    name: text('What people see instead of the id.'),
    uses: text('The step type, such as files.upload.'),
    with: { type: 'object', description: 'What the step type takes.' },
    needs: {
      type: 'array',
      uniqueItems: true,
      items: { type: 'string' },
      description: 'The steps that have to be done first; the step above where it is not given, [] for none.',
    },
    if: condition('The step is skipped when this is false.'),
    forEach: {
      type: 'object',
      required: ['items'],
      additionalProperties: false,
      description: 'Runs the step once for every item of a list; its outputs are then a list in the same order.',
      properties: {
        items: { description: 'The list, or an expression that gives it.' },
        as: {
          type: 'string',
          pattern: NAME_PATTERN,
          description: 'The name of the item in expressions; item where it is not given.',
        },
        maxParallel: {
          type: 'integer',
          minimum: 1,
          maximum: 100,
          description: 'How many at the same time; 4 where it is not given.',
        },
      },
    },
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
    continueOnError: { type: 'boolean', description: 'The run goes on, and can succeed, although this step failed.' },
  },
} as const

const steps = (description: string) => ({ type: 'array', maxItems: MAX_STEPS, items: step, description }) as const

/** The envelope of a pipeline document, version 1: everything but what expressions and step types say. */
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
    concurrency: {
      type: 'object',
      required: ['group'],
      additionalProperties: false,
      description: 'Runs of one group do not run at the same time.',
      properties: {
        group: template('The name of the group.'),
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          description: 'How many of its runs may be under way at a time; 1 where it is not given.',
        },
        onConflict: {
          enum: ['queue', 'skip', 'cancelRunning', 'fail'],
          description: 'What a run does while another of its group is running; queue where it is not given.',
        },
      },
    },
    notify: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description:
        'Who is told of runs of this pipeline, and of what, in place of what audience.yaml says; channels are declared there.',
      properties: notifyRuleProperties,
    },
    timeout: duration('The longest time for a run.'),
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
