import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../src/contract/operations.ts'
import { documentSchema } from '../../src/pipeline/document-schema.ts'
import { testSchema } from '../../src/rehearsal/test-schema.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { WHOLE } from '../rehearsal/fixtures.ts'
import { root } from '../support/audience.ts'
import { openEditor } from './editor.ts'

const editor = openEditor()
const folder = join(root, 'pipelines')
const HEAD = '# yaml-language-server: $schema=../schemas/pipeline.schema.json\nversion: 1\nname: mine\n'
const STEP = `${HEAD}steps:\n  - id: one\n    `
const types = [...stepTypes.values()]

test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))('nothing is marked in %s', async (name) => {
  expect(await editor.problems(readFileSync(join(folder, name), 'utf8'))).toEqual([])
})

test.each([
  ['a misspelt key', `${HEAD}step: []\n`, ['4:1 Property step is not allowed.', '2:1 Missing property "steps".']],
  ['a misspelt key of a step', `${STEP}uses: groups.list\n    neds: []\n`, ['7:5 Property neds is not allowed.']],
  [
    'a misspelt field',
    `${STEP}uses: files.list\n    with: { uploadSignal: IP, resultContent: BGID, pag: 1 }\n`,
    ['7:52 Property pag is not allowed.'],
  ],
  ['a missing field', `${STEP}uses: jobs.get\n    with: {}\n`, ['7:5 Missing property "jobId".']],
  [
    'a wrong value',
    `${STEP}uses: matches.testControl\n    with: { matchId: 7, shaveOffPercent: 101 }\n`,
    ['7:42 Value is above the maximum of 100.'],
  ],
])('%s is marked', async (_, text, marks) => {
  expect((await editor.problems(text)).sort()).toEqual([...marks].sort())
})

test('an unknown step type is marked, with those that there are', async () => {
  const [problem, ...more] = await editor.problems(`${STEP}uses: segments.crate\n`)
  expect(problem).toMatch(/^6:11 .*"segments\.create"/)
  expect(more).toEqual([])
})

test.each([
  ['the document', `${HEAD}|`, Object.keys(documentSchema.properties), ['version', 'name']],
  ['a step', `${STEP}|`, Object.keys(documentSchema.properties.steps.items.properties), ['id']],
  ['await', `${STEP}uses: segments.create\n    await:\n      |`, ['timeout', 'approvalTimeout', 'poll', 'accept'], []],
  [
    'retry',
    `${STEP}uses: segments.create\n    retry:\n      |`,
    ['maxAttempts', 'delay', 'backoff', 'maxDelay', 'on'],
    [],
  ],
])('the keys of %s are offered, those that are there already left out', async (_, text, keys, present) => {
  const offers = await editor.complete(text)
  const offered = offers.map(({ label }) => label)
  expect(offered).toEqual(expect.arrayContaining(keys.filter((key) => !present.includes(key as never))))
  expect(offered.filter((label) => present.includes(label as never))).toEqual([])
  expect(offers.filter(({ documentation }) => documentation === '')).toEqual([])
})

test('every step type is offered, with what it does', async () => {
  const offers = await editor.complete(`${STEP}uses: |`)
  const documented = new Map(offers.map(({ label, documentation }) => [label, documentation]))
  expect([...documented.keys()].sort()).toEqual(types.map(({ name }) => name).sort())
  expect(types.filter(({ name, summary }) => !documented.get(name)?.startsWith(summary))).toEqual([])
})

test.each(types.map((type) => [type.name, type] as const))(
  'the fields of %s are offered, and no others',
  async (name, { input }) => {
    const offers = await editor.complete(`${STEP}uses: ${name}\n    with:\n      |`)
    // The editor also offers all required fields together, under the name of the type.
    const fields = offers.map(({ label }) => label).filter((label) => label !== name)
    expect(fields.sort()).toEqual(Object.keys(input.properties).sort())
  },
)

test.each(types.map((type) => [type.name, type] as const))(
  'the pointer over each field of %s tells what it is',
  async (name, { input }) => {
    for (const [field, { description = '' }] of Object.entries(input.properties)) {
      const text = await editor.hover(`${STEP}uses: ${name}\n    with:\n      |${field}: "\${{ inputs.x }}"\n`)
      expect(text).toContain(name)
      expect(text).toContain(description)
    }
  },
)

test.each([
  ['the length of a text', 'segments.create', 'segmentName', 'Name of the segment. At most 100 characters; not blank.'],
  [
    'the range of a number',
    'matches.testControl',
    'shaveOffPercent',
    'Percentage left out of both test and control. 0 to 100.',
  ],
  ['the values of an enumeration', 'activations.create', 'refreshRate', 'Allowed Values: * `0` * `30` * `60` * `90`'],
])('the pointer over a field tells %s', async (_, name, field, text) => {
  expect(await editor.hover(`${STEP}uses: ${name}\n    with:\n      |${field}: 0\n`)).toContain(text)
})

test('the pointer over a step type shows what it does, before all others', async () => {
  const { summary, description } = operations['matches.create']
  const text = await editor.hover(`${STEP}uses: match|es.create\n`)
  expect(text).toContain(`Allowed Values: * \`matches.create\`: ${summary} ${description}`)
})

test.each(Object.entries<{ readonly description?: string }>(documentSchema.properties))(
  'the pointer over the key %s tells what it is',
  async (key, { description }) => {
    expect(await editor.hover(`${HEAD.replace(new RegExp(`^${key}:.*\n`, 'm'), '')}|${key}: \n`)).toContain(description)
  },
)

test.each([
  ['values of an enumeration', 'uses: segments.create\n    with:\n      resultContent: |', ['BGID', 'HASHED']],
  [
    'what a retry is for',
    'uses: segments.create\n    retry:\n      on:\n        - |',
    ['jobFailed', 'rejected', 'unavailable', 'timeout', 'expectation'],
  ],
])('%s are offered', async (_, text, values) => {
  const offers = await editor.complete(`${STEP}${text}`)
  expect(offers.map(({ label }) => label)).toEqual(expect.arrayContaining(values))
})

const TEST_HEAD = '# yaml-language-server: $schema=../schemas/test.schema.json\n'
const EVENT = `${TEST_HEAD}test: p.yaml\ngiven: { from: 2026-10-20 }\ntests:\n  - it: works\n    do:\n      - `
const event = testSchema.properties.tests.items.properties.do.items

test('nothing is marked in a test of a pipeline, and what is misspelt is', async () => {
  expect(await editor.problems(`${TEST_HEAD}${WHOLE}`)).toEqual([])
  expect(await editor.problems(`${EVENT}nigths: 14\n`)).toEqual(['7:9 Property nigths is not allowed.'])
})

test.each([
  ['an event', `${EVENT}|`, Object.keys(event.properties)],
  ['expect', `${EVENT}night: true\n        expect:\n          |`, Object.keys(event.properties.expect.properties)],
  [
    'writes',
    `${EVENT}night: true\n        expect:\n          writes:\n            |`,
    ['segments.create', 'files.upload'],
  ],
])('the keys of %s of a test are offered', async (_, text, keys) => {
  const offers = await editor.complete(text)
  expect(offers.map(({ label }) => label)).toEqual(expect.arrayContaining(keys))
  expect(offers.filter(({ documentation }) => documentation === '')).toEqual([])
})
