import { anything, flag, list, number, object, text, time, wholeNumber } from '../../core/json-schema.ts'
import { ENDS_THAT_COUNT } from '../../core/trigger.ts'
import { band, graphStep, runItem } from './run-schemas.ts'

const followed = {
  id: text('Its id.'),
  kind: { enum: ['schedule', 'watch', 'after'], description: 'The kind of trigger.' },
  cron: text('For a schedule: its five fields.'),
  timezone: text('For a schedule: its time zone.'),
  path: text('For a watched folder: its absolute path.'),
  pattern: text('For a watched folder: the pattern for the names of files.'),
  after: list(text('The name of a pipeline.'), 'For `after`: the pipelines that it comes after.'),
  on: { enum: ENDS_THAT_COUNT, description: 'For `after`: which outcomes of their runs count.' },
} as const

const trigger = object(['id', 'kind'], {
  ...followed,
  pausedSince: time('When a person paused it.'),
  next: time('For a schedule: its next slot.'),
})

const otherTrigger = object(['id', 'kind', 'profiles'], {
  ...followed,
  profiles: list(text('The name of a profile.'), 'The profiles under which it starts runs.'),
})

const { runId, status, submittedAt, failures, failuresOf, partnerWaits } = runItem.properties
const runInStrip = object(['runId', 'status', 'submittedAt'], {
  runId,
  status,
  submittedAt,
  failures,
  failuresOf,
  partnerWaits,
})

const problem = {
  ...object(['errors', 'messages'], {
    errors: wholeNumber('How many errors the file has.'),
    validFrom: time('When the version in use was saved.'),
    messages: list(
      object(['message'], {
        message: text('What is wrong, and where.'),
        line: wholeNumber('The line in the file, counted from 1, if the problem is on a particular line.'),
        column: wholeNumber('The column.'),
      }),
      'What is wrong with the file; at most 21.',
    ),
    text: text('The current text of the file. Only if one pipeline is asked for.'),
  }),
  description: 'Set if the file is not valid now. Then its last valid version is used.',
}

export const pipelineItem = {
  ...object(['name', 'file', 'steps', 'triggers', 'otherTriggers', 'newest'], {
    name: text('Its name.'),
    file: text('The absolute path of its document.'),
    description: text('What it is for.'),
    steps: wholeNumber('How many steps it has.'),
    triggers: list(trigger, 'Its triggers that start runs under the profile of audience start.'),
    otherTriggers: list(otherTrigger, 'Its triggers that start runs only under other profiles.'),
    lastRun: runItem,
    newest: list(runInStrip, 'Its 20 newest runs, oldest first.'),
    problem,
    muted: {
      ...object(['pipelines', 'until'], {
        pipelines: text('The pipelines of the mute: the name of this pipeline, or a pattern.'),
        until: time('Until when.'),
      }),
      description: 'Set while messages about it are muted.',
    },
  }),
  title: 'Pipeline',
} as const

const field = {
  name: text('Its name.'),
  type: text('string, integer, number, boolean, file, date or enum; an input can also be a list.'),
  required: flag('Whether a value is required, because there is no default.'),
  description: text('The description.'),
  default: anything('Its default. Integers beyond 2^53 are strings.'),
  values: list(text('A value.'), 'For an enum: its possible values.'),
} as const

const inputDeclaration = object(['name', 'type', 'required'], {
  ...field,
  items: text('For a list of single values: their type.'),
  fields: list(object(['name', 'type', 'required'], field), 'For a list of objects: their fields, in order.'),
})

export const pipelineDetail = object(['pipeline', 'text', 'digest', 'inputs', 'graph'], {
  pipeline: pipelineItem,
  text: text('The document.'),
  digest: text('SHA-256 of the document.'),
  inputs: list(inputDeclaration, 'Its inputs, in order.'),
  graph: list(graphStep, 'Its steps, in order.'),
})

export const figures = object(['series'], {
  series: list(
    object(['step', 'name', 'points'], {
      step: text('The step that has this output.'),
      name: text('The name of the number, such as matchCount. For a guard: `guard: ` and what it measures.'),
      points: list(
        object(['runId', 'at', 'status', 'value'], {
          runId: text('The run.'),
          at: time('When the run was submitted.'),
          status: text('The status of the run.'),
          label: text('The slot or file of the run.'),
          value: number({}, 'The number.'),
          verdict: text('For a guard: good, held, approved, rejected, failed or warned.'),
          expected: band,
        }),
        'Oldest first.',
      ),
    }),
    'A series for each number.',
  ),
})
