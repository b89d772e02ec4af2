import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PIPELINE = `version: 1
name: p
inputs: { groupId: { type: integer } }
steps: [{ id: list, uses: groups.list }]
`
const TEST = `test: p.yaml
given: { from: 2026-10-20, profile: staging }
tests:
  - it: lists the groups
    do: [{ run: {}, expect: { writes: {}, notified: { ops: [] } } }]
`
const CONFIG = `profiles:
  staging: { baseUrl: "https://staging.example.com", inputs: { groupId: 9001 } }
notify: { channels: { ops: { webhook: { url: "https://example.com/hook" } } } }
`

function project(files: Readonly<Record<string, string>>) {
  const cwd = tempFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, path, '..'), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  // In this process, paths are relative to another folder.
  const absolute = (arg: string) => (/[./]/.test(arg) || arg === 'pipelines' || arg === 'tests' ? join(cwd, arg) : arg)
  return async (...args: string[]) => {
    const { code, out, err } = await commandLine(args.map(absolute), { cwd })
    return { code, out: out.replaceAll(`${cwd}/`, ''), err }
  }
}

const whole = { 'audience.yaml': CONFIG, 'pipelines/p.yaml': PIPELINE, 'pipelines/p.test.yaml': TEST }

test('a test beside its pipeline is checked as a test, for its own profile', async () => {
  const audience = project(whole)
  expect(await audience('validate', '--strict', 'pipelines')).toMatchObject({
    code: 0,
    out: '1 pipeline and 1 test file, nothing wrong\n',
  })
  const without = project({ ...whole, 'pipelines/p.test.yaml': TEST.replace(', profile: staging', '') })
  expect((await without('validate', '--format', 'json', 'pipelines/p.test.yaml')).out).toContain(
    'run does not give the input groupId, which has no default',
  )
})

test('its problems have their places in it, and the tested pipeline is one of them', async () => {
  const wrong = TEST.replace('ops', 'opps').replace('writes', 'writs')
  const audience = project({ ...whole, 'pipelines/p.test.yaml': wrong })
  const { code, out } = await audience('validate', '--format', 'json', 'pipelines')
  expect(code).toBe(3)
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { file: 'pipelines/p.test.yaml', line: 5, column: 31, code: 'unknown-key', hint: 'did you mean writes?' },
    { file: 'pipelines/p.test.yaml', line: 5, column: 54, code: 'unknown-channel', hint: 'did you mean ops?' },
  ])
  const broken = project({ ...whole, 'pipelines/p.yaml': PIPELINE.replace('uses', 'user') })
  const found = (await broken('validate', '--format', 'json', 'pipelines/p.test.yaml')).out
  expect(JSON.parse(found)).toMatchObject({ line: 1, column: 7, code: 'invalid-pipeline' })
})

test('a test that is taken for a pipeline is told as what it is', async () => {
  const audience = project({
    'pipelines/p.yaml': PIPELINE,
    'pipelines/p-test.yaml': TEST,
    'pipelines/q.test.yaml': TEST,
  })
  const { out } = await audience('validate', '--format', 'json', 'pipelines/p-test.yaml')
  expect(JSON.parse(out)).toMatchObject({ line: 1, message: 'this is a test of a pipeline' })
  const run = await audience('run', 'pipelines/q.test.yaml')
  expect(run.code).toBe(3)
  expect(run.err).toContain('this is a test of a pipeline')
})

test('a test without a configuration belongs to its folder, and may not leave it', async () => {
  const audience = project({ 'p.yaml': PIPELINE, 'tests/p.test.yaml': TEST.replace('test: p', 'test: ../p') })
  expect((await audience('validate', 'tests')).out).toContain('../p.yaml is outside the project')
})

test('`schema test` prints the schema for editors', async () => {
  const { out } = await project({})('schema', 'test')
  expect(JSON.parse(out)).toMatchObject({ title: 'Test of a pipeline', required: ['test', 'given', 'tests'] })
})
