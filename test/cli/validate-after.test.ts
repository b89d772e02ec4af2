import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A pipeline that outputs `count` and runs after others. */
function pipeline(name: string, after: readonly string[], more = ''): string {
  const triggers = after.length === 0 ? '' : `triggers:\n  - { id: next, after: { pipelines: [${after}] }${more} }\n`
  return `version: 1
name: ${name}
inputs: { count: { type: integer, default: 1 } }
${triggers}steps: [{ id: list, uses: groups.list }]
outputs: { count: 1 }
`
}

/** The problems that `audience validate` reports in documents, as `place code: message | hint`. */
async function problems(files: Readonly<Record<string, string>>, path = 'pipelines') {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'audience.yaml'), 'pipelines: pipelines\n')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  // In this process, paths are relative to another folder.
  const { code, out } = await commandLine(['validate', '--format', 'json', join(cwd, path)], { cwd })
  const lines = out.replaceAll(`${cwd}/`, '').trim().split('\n')
  const found = lines.filter((line) => line !== '').map((line) => JSON.parse(line))
  return {
    code,
    found: found.map((one) => `${one.file}:${one.line}:${one.column} ${one.code}: ${one.message} | ${one.hint}`),
  }
}

test('a trigger comes after pipelines that there are', async () => {
  const files = { 'pipelines/a.yaml': pipeline('alpha', []), 'pipelines/next.yaml': pipeline('next', ['alpha']) }
  expect(await problems(files)).toEqual({ code: 0, found: [] })
  // The other documents of the folder are known, even if only one is checked.
  expect(await problems(files, 'pipelines/next.yaml')).toEqual({ code: 0, found: [] })
})

test('a pipeline that there is not is an error where it is named', async () => {
  const files = { 'pipelines/a.yaml': pipeline('alpha', []), 'pipelines/next.yaml': pipeline('next', ['alpa']) }
  expect(await problems(files)).toEqual({
    code: 3,
    found: ['pipelines/next.yaml:5:38 missing-pipeline: there is no pipeline alpa | did you mean alpha?'],
  })
})

test('a circle is an error of each of its documents, with its way and its places', async () => {
  const files = {
    'pipelines/a.yaml': pipeline('a', ['c']),
    'pipelines/b.yaml': pipeline('b', ['a']),
    'pipelines/c.yaml': pipeline('c', ['b']),
    'pipelines/outside.yaml': pipeline('outside', ['c']),
    'pipelines/own.yaml': pipeline('own', ['own']),
  }
  const { code, found } = await problems(files)
  expect(code).toBe(3)
  expect(found).toEqual([
    expect.stringMatching(
      /^pipelines\/a\.yaml:5:38 pipelines-circle: pipelines come after each other in a circle: a → c → b \(.*c\.yaml:5:38\) → a \(.*b\.yaml:5:38\) \| remove one of these triggers$/,
    ),
    expect.stringContaining('pipelines/b.yaml:5:38 pipelines-circle'),
    expect.stringContaining('pipelines/c.yaml:5:38 pipelines-circle'),
    expect.stringContaining('pipelines come after each other in a circle: own → own |'),
  ])
})

test('its inputs may read the outputs that the others have', async () => {
  const reading = (output: string) => ({
    'pipelines/a.yaml': pipeline('a', []),
    'pipelines/next.yaml': pipeline('next', ['a'], `, inputs: { count: "\${{ trigger.runs.a.outputs.${output} }}" }`),
  })
  expect((await problems(reading('count'))).found).toEqual([])
  expect((await problems(reading('cuont'))).found).toEqual([
    expect.stringContaining('cuont is not an output of a | did you mean count?'),
  ])
})
