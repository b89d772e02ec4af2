import { SEGMENT_SIGNALS } from '../contract/enumerations.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import { DURATION_PATTERN } from '../core/duration.ts'
import { exactObject, type JsonSchema, limitedList, matching, type ObjectSchema } from '../core/json-schema.ts'
import { PERCENT_PATTERN } from '../pipeline/schema-parts.ts'
import { FaultSpec } from '../service/control/fault-rule.ts'
import { boundedCount, expectationSchema, shortText, stepBelow, stepText } from './expectation-schema.ts'

/** A day, or a moment with its offset from UTC. */
export const MOMENT_PATTERN = '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?(Z|[+-]\\d\\d:\\d\\d))?$'

const MAX_TESTS = 200
const MAX_EVENTS = 200
export const MAX_NIGHTS = 400
/** Nearly as many people as the embedded service knows. */
const MAX_PEOPLE = 90_000
const MAX_FILES = 100

export const OPERATION_IDS = Object.keys(operations) as OperationId[]

const file = {
  description:
    'The content of a file: a text as it is, or one of these. A list has a header and one key per line. Each time it is rewritten, one of its people is replaced.',
  type: ['object', 'string'],
  additionalProperties: false,
  properties: {
    people: boundedCount('How many people the service knows.', MAX_PEOPLE),
    others: {
      type: ['integer', 'string'],
      minimum: 0,
      maximum: MAX_PEOPLE,
      pattern: PERCENT_PATTERN,
      description:
        'The number of additional keys that belong to nobody, or their share of the people, such as 3%. Default: 0.',
    },
    signal: { enum: SEGMENT_SIGNALS, description: 'The kind of the keys. Default: EMAIL.' },
    seed: boundedCount('A different seed picks different people.', 2 ** 31 - 1),
    copy: shortText('A file of the project to use instead, relative to the folder of this document.'),
  },
} as const satisfies JsonSchema

const files = (description: string) =>
  ({ type: 'object', maxProperties: MAX_FILES, additionalProperties: file, description }) as const

const given = exactObject({
  required: ['from'],
  description: 'The world in which each test begins.',
  properties: {
    from: matching(
      MOMENT_PATTERN,
      'When the test begins, so that no test depends on today: a day (from 00:00 UTC), or a time with its offset.',
    ),
    files: files(
      'The files that are there, by path. Write each path as the pipeline does: relative to its folder. Lists of the project are not there unless you name them.',
    ),
    profile: shortText(
      'The profile of audience.yaml whose inputs and triggers count. Default: the one that audience.yaml names.',
    ),
    env: {
      type: 'object',
      maxProperties: MAX_FILES,
      additionalProperties: { type: 'string', maxLength: 10_000 },
      description: 'The environment variables. The machine’s own variables are not set.',
    },
    service: exactObject({
      description: 'The service of the test, which is always an embedded one.',
      properties: {
        latencies: {
          enum: ['fast', 'realistic'],
          default: 'fast',
          description: 'How long jobs take: seconds, or as long as they do at a real service.',
        },
        network: shortText(
          'Path of a network.yaml, relative to the folder of this document. Default: the built-in network.',
        ),
      },
    }),
  },
})

const kill = exactObject({
  description:
    'The process dies at the next request of an operation, and starts again at once. A kill that never happens fails the test.',
  properties: {
    before: { enum: OPERATION_IDS, description: 'Before the service gets the request.' },
    after: { enum: OPERATION_IDS, description: 'After the service did it, before the process gets the answer.' },
  },
})

function decision(description: string) {
  return {
    ...stepBelow(description),
    type: ['object', 'string'],
    additionalProperties: false,
    required: ['step'],
    properties: {
      step: stepBelow('The step.'),
      by: shortText(
        'The name of the person. Default: the first of `approvers`, or somebody who did not start the run.',
      ),
    },
  } as const
}

const event = exactObject({
  description:
    'One thing that happens, and what should follow. It has one of run, night, nights, slot, wait, drop, approve, reject, partner, retry and cancel; or none of them, to only change files or check something.',
  properties: {
    run: exactObject({
      description: 'Somebody runs the pipeline: `run: {}`.',
      properties: {
        inputs: { type: 'object', additionalProperties: {}, description: 'Inputs of the run, by name.' },
      },
    }),
    night: { const: true, description: 'A day passes, and triggers start whatever is due in it.' },
    nights: { type: 'integer', minimum: 1, maximum: MAX_NIGHTS, description: 'This many days pass.' },
    slot: {
      type: ['boolean', 'string'],
      minLength: 1,
      description: 'Time passes up to the next slot of any schedule, or of the trigger with this id.',
    },
    wait: matching(DURATION_PATTERN, 'This much time passes, such as 3h.'),
    drop: { ...files('Files are dropped into watched folders.'), minProperties: 1 },
    approve: decision('Somebody says yes to a step that waits for a person.'),
    reject: decision('Somebody says no to it.'),
    partner: exactObject({
      description: 'What the partner does at the service with the job of a step.',
      properties: {
        approve: stepBelow('The partner says yes.'),
        reject: stepBelow('The partner says no.'),
        fail: stepBelow('The job fails.'),
      },
    }),
    retry: {
      type: ['boolean', 'object'],
      additionalProperties: false,
      description: 'Somebody repeats the newest run, except what succeeded: `retry: true`.',
      properties: { from: stepText('The first step to do again, whatever its outcome was.') },
    },
    cancel: { const: true, description: 'Somebody cancels the newest run.' },
    change: {
      type: 'object',
      maxProperties: MAX_FILES,
      additionalProperties: { ...file, type: [...file.type, 'null'] },
      description:
        'Files that change right before the event, as in `given.files`; null removes a file. With `nights`, before each night.',
    },
    faults: limitedList(
      { maxItems: 50 },
      FaultSpec,
      'The requests that fail while this happens. A fault that never happens fails the test.',
    ),
    kill,
    expect: expectationSchema,
  },
})

/** A `*.test.yaml`. */
export const testSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Test of a pipeline',
  type: 'object',
  additionalProperties: false,
  required: ['test', 'given', 'tests'],
  properties: {
    test: shortText('The pipeline that is tested, relative to the folder of this document.'),
    given,
    tests: limitedList(
      { minItems: 1, maxItems: MAX_TESTS },
      exactObject({
        required: ['it', 'do'],
        properties: {
          it: shortText('What the test shows, as the end of a sentence: `it: activates once`.'),
          do: limitedList(
            { minItems: 1, maxItems: MAX_EVENTS },
            event,
            'What happens, one event after another, in a separate world.',
          ),
        },
      }),
      'The tests. Each begins in the world that `given` describes.',
    ),
  },
} as const satisfies ObjectSchema
