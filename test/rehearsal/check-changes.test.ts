import { expect, test } from 'vitest'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { loadTest } from '../../src/rehearsal/read-test.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { deps } from './fixtures.ts'

const upload = (file: string) =>
  `  - { id: up, uses: files.upload, with: { file: "${file}", uploadSignal: EMAIL, resultContent: BGID } }\n`
const prepare = (from: string) =>
  `  - { id: list, uses: files.prepare, with: { from: ${from}, column: 1, signal: EMAIL } }\n`
const INPUT = 'inputs: { file: { type: file, default: data/list.csv } }\n'
const BELOW = `version: 1\nname: below\n${INPUT}steps:\n${upload('${{ inputs.file }}')}`

/** The problems of a file change in a pipeline test. */
function problemsOf(pipeline: string, changed: string, run = '{}'): readonly string[] {
  const texts = { own: `version: 1\nname: own\n${pipeline}`, below: BELOW }
  const loaded = new Map(
    Object.entries(texts).map(([name, text]) => {
      const file = `/project/pipelines/${name}.yaml`
      return [file, loadPipeline({ text, file, stepTypes })]
    }),
  )
  for (const { diagnostics } of loaded.values())
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  const text = `test: own.yaml
given: { from: 2026-10-20, files: { data/given.csv: { people: 5 } } }
tests:
  - it: changes
    do:
      - change: { ${changed}: "email" }
      - run: ${run}
`
  const read = loadTest(
    { text, file: '/project/pipelines/own.test.yaml' },
    { ...deps, readPipeline: (file) => loaded.get(file) },
  )
  return read.diagnostics.map(({ code, message, hint, at }) => `${at?.line}:${at?.column} ${code} ${message} (${hint})`)
}

const PLAIN = `${INPUT}steps:\n${upload('${{ inputs.file }}')}`

test('a change of a file that no pipeline of the test reads is an error at its place, with what was meant', () => {
  expect(problemsOf(PLAIN, 'data/lsit.csv')).toEqual([
    '6:19 unknown-file no pipeline of this test reads data/lsit.csv (did you mean data/list.csv?)',
  ])
  expect(problemsOf(PLAIN, 'elsewhere.csv')).toEqual([
    '6:19 unknown-file no pipeline of this test reads elsewhere.csv (known here: data/given.csv, ../optouts.csv, data/list.csv)',
  ])
})

test.each([
  ['a default of an input', 'data/list.csv'],
  ['the same in other words', 'data/../data/list.csv'],
  ['a file that is given', 'data/given.csv'],
  ['an opt-out list', '../optouts.csv'],
  ['a file that a run is given', 'other.csv'],
])('%s can change', (_what, name) => {
  expect(problemsOf(PLAIN, name, '{ inputs: { file: other.csv } }')).toEqual([])
})

const WATCH = `triggers:
  - id: drop
    watch: { path: inbox, pattern: "*.csv", done: done, failed: failed }
    inputs: { file: "\${{ trigger.file }}" }
`
const DAY = `inputs: { file: { type: file, default: a.csv }, day: { type: date, default: 2026-10-20 } }
triggers:
  - { id: night, schedule: { cron: 0 2 * * * }, inputs: { day: "\${{ trigger.date }}" } }
steps:
${upload('${{ inputs.file }}')}`
const NIGHT = 'triggers:\n  - id: night\n    schedule: { cron: "0 2 * * *", exclude: { file: off.txt } }\n'

test.each<[string, string, readonly string[], string]>([
  ['a watched folder', `${INPUT}${WATCH}steps:\n${upload('${{ inputs.file }}')}`, ['inbox/a.csv'], 'out/a.csv'],
  ['the default, whatever else a trigger gives,', DAY, ['a.csv'], 'b.csv'],
  ['days off', `${NIGHT}steps:\n${upload('data/list.csv')}`, ['off.txt'], 'of.txt'],
  [
    'a list that is prepared',
    `steps:\n${prepare('{ file: a.csv }')}${upload('${{ steps.list.outputs.file }}')}`,
    ['a.csv'],
    'b.csv',
  ],
  [
    'a pipeline that a step runs',
    'steps:\n  - { id: nested, uses: pipelines.run, with: { file: below.yaml } }\n',
    ['data/list.csv', 'below.yaml'],
    'data/lists.csv',
  ],
])('%s is read', (_what, pipeline, names, other) => {
  for (const name of names) expect(problemsOf(pipeline, name)).toEqual([])
  expect(problemsOf(pipeline, other)).toHaveLength(1)
})

test.each([
  ['a name that is put together', `steps:\n${upload('data/${{ trigger.date }}.csv')}`],
  [
    'a name that is text',
    `inputs: { name: { type: string, default: a.csv } }\nsteps:\n${upload('${{ inputs.name }}')}`,
  ],
  ['a source of audience.yaml', `steps:\n${prepare('{ source: crm }')}`],
  ['a source whose day is computed', `steps:\n${prepare('{ source: crm, date: "${{ trigger.date }}" }')}`],
  [
    'a pipeline that is given its file',
    'steps:\n  - { id: nested, uses: pipelines.run, with: { file: below.yaml, inputs: { file: ../x.csv } } }\n',
  ],
  [
    'a pipeline that is chosen in a run',
    `inputs: { below: { type: string, default: below.yaml } }\nsteps:\n  - { id: nested, uses: pipelines.run, with: { file: "\${{ inputs.below }}" } }\n`,
  ],
  [
    'a trigger that puts a name together',
    `${INPUT}triggers:\n  - { id: night, schedule: { cron: 0 2 * * * }, inputs: { file: "data/\${{ trigger.date }}.csv" } }\nsteps:\n${upload('${{ inputs.file }}')}`,
  ],
])('of %s nobody knows the files before', (_what, pipeline) => {
  expect(problemsOf(pipeline, 'data/2026-10-21.csv')).toEqual([])
})
