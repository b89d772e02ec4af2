import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Pipeline } from '../../src/core/pipeline.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { firstTest } from '../../src/rehearsal/first-test.ts'
import type { EventFacts } from '../../src/rehearsal/test-result.ts'
import { testText } from '../../src/rehearsal/test-text.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { load } from './fixtures.ts'

const FOLDER = '/project/pipelines'

function pipelineOf(text: string, name = 'own.yaml'): Pipeline {
  const file = join(FOLDER, name)
  const { pipeline, diagnostics } = loadPipeline({ text: `version: 1\nname: own\n${text}`, file, stepTypes })
  if (!pipeline) throw new Error(JSON.stringify(diagnostics))
  return pipeline
}

const UPLOAD = (file: string, signal = 'EMAIL') =>
  `steps: [{ id: up, uses: files.upload, with: { file: "${file}", uploadSignal: ${signal}, resultContent: BGID } }]\n`

/** The lists of the project, by path: the number of rows, or `columns` if a list has more columns than the keys. */
function firstOf(
  pipeline: Pipeline,
  lists: Readonly<Record<string, number | 'columns'>> = {},
  inputs: string[] = [],
  before: Pipeline[] = [],
  readPipeline: (file: string) => Pipeline | undefined = () => undefined,
) {
  const at = (path: string) => lists[path.slice(FOLDER.length + 1)]
  return firstTest(pipeline, {
    ...{ now: Date.UTC(2026, 9, 20, 17), inputs, cwd: '/project', stepTypes, root: '/project' },
    readPipeline,
    before,
    optOuts: ['/project/optouts.csv', '/elsewhere/optouts.csv'],
    isFile: (path) => at(path) !== undefined,
    readList(path) {
      const rows = /csv$/.test(path) ? at(path) : undefined
      return rows === undefined ? undefined : { rows: Number(rows) || 9, isKeys: rows !== 'columns' }
    },
  })
}

const OPT_OUTS = { '../optouts.csv': { people: 5000, seed: 2 } }

test('lists are as long as those of the project, and what holds more than keys is taken as it is', () => {
  const pipeline = (file: string) => pipelineOf(UPLOAD(file))
  expect(firstOf(pipeline('data/a.csv'), { 'data/a.csv': 120 })).toEqual({
    ...{ test: 'own.yaml', from: '2026-10-20', env: {}, event: { run: {} } },
    files: { 'data/a.csv': { people: 120 }, ...OPT_OUTS },
  })
  const filesOf = (...args: Parameters<typeof firstOf>) => firstOf(...args).files['data/a.csv']
  expect(filesOf(pipeline('data/a.csv'), { 'data/a.csv': 1_000_000 })).toEqual({ people: 90_000 })
  expect(filesOf(pipeline('data/a.csv'), { 'data/a.csv': 'columns' })).toEqual({ copy: 'data/a.csv' })
  expect(filesOf(pipeline('data/a.csv'))).toEqual({ people: 5000 })
  expect(filesOf(pipelineOf(UPLOAD('data/a.csv', 'IP')))).toEqual({ people: 5000, signal: 'IP' })
  expect(firstOf(pipeline('data/a.parquet')).files).toEqual({ '../optouts.csv': { people: 5000 } })
  expect(firstOf(pipeline('/etc/a.csv')).files).toEqual({ '../optouts.csv': { people: 5000 } })
})

const scheduled = (...crons: string[]) =>
  `triggers:\n${crons.map((cron, at) => `  - { id: t${at}, schedule: { cron: "${cron}", timezone: UTC } }\n`).join('')}steps: [{ id: all, uses: groups.list }]\n`

test.each([
  [scheduled('0 2 * * *'), { night: true }],
  [scheduled('0 2 * * 0'), { slot: 't0' }],
  [scheduled('*/15 * * * *'), { slot: 't0' }],
  [scheduled('0 2 * * *', '0 4 * * *'), { slot: 't0' }],
  [scheduled('0 2 * * *', '0 4 * * 0'), { night: true }],
  ['steps: [{ id: all, uses: groups.list }]\n', { run: {} }],
])('the event fits the triggers: %j', (text, event) => {
  expect(firstOf(pipelineOf(text)).event).toEqual(event)
})

test('what comes after others lives a night with them and their lists', () => {
  const own = pipelineOf('steps: [{ id: all, uses: groups.list }]\n')
  const first = firstOf(own, {}, [], [pipelineOf(UPLOAD('data/before.csv'), 'before.yaml')])
  expect(first.event).toEqual({ night: true })
  expect(first.files).toEqual({ 'data/before.csv': { people: 5000 }, ...OPT_OUTS })
})

test('what a pipeline that a step runs reads is given, too: its variables and its lists', () => {
  const run = (name: string) => `steps: [{ id: nested, uses: pipelines.run, with: { file: ${name} } }]\n`
  const below = pipelineOf(`env: [LIMIT]\n${UPLOAD('data/${{ int(env.LIMIT) }}.csv')}`, 'below.yaml')
  const between = pipelineOf(`env: [HOOK]\n${run('below.yaml')}`, 'between.yaml')
  const documents = new Map([below, between].map((one) => [one.file, one]))
  const first = firstOf(pipelineOf(run('between.yaml')), {}, [], [], (file) => documents.get(file))
  expect(first.env).toEqual({ HOOK: 'https://hook.example.com', LIMIT: '100' })
})

test.each([
  ['*.csv', 'inbox/list.csv'],
  ['crm-????-*.{csv,tsv}', 'inbox/crm-1111-list.csv'],
  ['[a-c]*.csv', 'inbox/alist.csv'],
])('a file that fits %s is dropped', (pattern, name) => {
  const text = `inputs: { file: { type: file } }
triggers:
  - id: drop
    watch: { path: inbox, pattern: "${pattern}", done: done, failed: failed, precheck: { signal: IP, minimumShare: 0.9 } }
    inputs: { file: "\${{ trigger.file }}" }
${UPLOAD('${{ inputs.file }}')}`
  expect(firstOf(pipelineOf(text)).event).toEqual({ drop: { [name]: { people: 5000, signal: 'IP' } } })
})

const NEEDY = `inputs:
  list: { type: file }
  group: { type: integer }
  names: { type: list, items: string, default: [a] }
env: [REGION]
${UPLOAD('${{ inputs.list }}')}`

test('a file that has to be given is made up; what else has to be, a person gives', () => {
  expect(() => firstOf(pipelineOf(NEEDY))).toThrow(
    expect.objectContaining({ code: 'missing-input', hint: 'give it: -i group=100' }),
  )
  const first = firstOf(pipelineOf(NEEDY), {}, ['group=9007199254740993', 'names=b,c'])
  expect(first.env).toEqual({ REGION: 'https://region.example.com' })
  expect(first.event).toEqual({
    run: { inputs: { list: 'data/list.csv', group: 9007199254740993n, names: ['b', 'c'] } },
  })
  expect(first.files).toEqual({ 'data/list.csv': { people: 5000 }, ...OPT_OUTS })
  expect(testText(first, { hasChannels: false })).toContain(
    '- run: { inputs: { list: data/list.csv, group: 9007199254740993, names: [ b, c ] } }',
  )
})

const FACTS: EventFacts = {
  runs: [{ status: 'succeeded', waits: [] }],
  writes: { 'files.upload': 1, 'segments.create': 2 },
  live: { segments: 2, matches: 0, activations: 0 },
  notified: { ops: ['failure'] },
}

/** The first test of `nightly.yaml` in the fixtures. */
const FIRST = {
  ...{ test: 'nightly.yaml', from: '2026-10-20', env: { TOKEN: 'https://token.example.com' } },
  files: { 'data/list.csv': { people: 5 }, 'data/odd: name.csv': { people: 5 } },
}

const textFor = (facts: Partial<EventFacts>, event = {}) =>
  testText(
    { ...FIRST, event: Object.keys(event).length > 0 ? event : { night: true } },
    { facts: { ...FACTS, ...facts }, hasChannels: true, schema: '../schemas/test.schema.json' },
  )

const run = (facts: Partial<EventFacts['runs'][0]>) => ({
  runs: [{ status: 'succeeded' as const, waits: [], ...facts }],
})

test.each<[Partial<EventFacts>, expected: string]>([
  [{}, 'status: succeeded'],
  [{ runs: [] }, 'runs: {}'],
  [{ runs: [FACTS.runs[0]!, FACTS.runs[0]!] }, 'runs: { succeeded: 2 }'],
  [run({ status: 'waiting', waits: [{ step: 'each[0].ask', for: 'approval' }] }), 'held: "each[0].ask"'],
  [run({ status: 'running', waits: [{ step: 'match', for: 'partner' }] }), 'status: running'],
  [
    run({ status: 'failed', error: { code: 'job-failed', step: 'match', message: 'it\n failed: # x' } }),
    'error: { code: job-failed, step: match }',
  ],
])('what was seen is expected, and the file is a valid test: %j', (facts, expected) => {
  const text = textFor(facts)
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/schemas\/test\.schema\.json\n# /)
  expect(text).toContain(`          ${expected}\n`)
  expect(text).toContain('          notified: { ops: [ failure ] }\n')
  const { diagnostics } = load(text)
  expect(diagnostics).toEqual([])
  // The lines that a person can add are valid, too.
  const more = load(text.replaceAll(/^ {6}# (?=- |\s+expect)/gm, '      '))
  expect(more.diagnostics).toEqual([])
  if (!text.includes('# It failed')) expect(more.test?.tests[0]?.events).toHaveLength(2)
})

test('a step that waits in a pipeline that a step runs is held by both names', () => {
  const facts = { ...FACTS, ...run({ status: 'running', waits: [{ step: 'refresh/match', for: 'approval' }] }) }
  const text = testText({ ...FIRST, test: 'above.yaml', event: { run: {} } }, { facts, hasChannels: false })
  expect(text).toContain('          held: refresh/match\n')
  expect(text).toContain('# - approve: refresh/match\n')
  expect(load(text).diagnostics).toEqual([])
})

test('a second file that is dropped is another list', () => {
  const text = textFor({}, { drop: { 'inbox/list.csv': { people: 7 } } })
  expect(text).toContain('# - drop: { inbox/list-2.csv: { people: 7, seed: 2 } }')
})
