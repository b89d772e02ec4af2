import { execFileSync } from 'node:child_process'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { documentAt } from '../../../src/daemon/documents/document-at.ts'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import { resolveInputs } from '../../../src/pipeline/resolve-inputs.ts'
import { stepTypes } from '../../../src/steps/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** What a path may lead to instead of a file, and the message about it. */
const OTHERS: readonly (readonly [string, (path: string) => void, string])[] = [
  ['a folder', (path) => mkdirSync(path), 'it is a folder'],
  ['a FIFO', (path) => execFileSync('mkfifo', [path]), 'it is not a file'],
  [
    'a file over 20 MB',
    (path) => {
      writeFileSync(path, '')
      truncateSync(path, 20_000_001)
    },
    'it is larger than 20 MB',
  ],
]

function project(make: (path: string) => void, rest: string) {
  const folder = tempFolder()
  const path = join(folder, 'named.yaml')
  make(path)
  const file = join(folder, 'p.yaml')
  const text = `version: 1\nname: p\n${rest}`
  const { pipeline, diagnostics } = loadPipeline({ text, file, stepTypes, readDocument: documentAt })
  return { folder, path, pipeline, said: diagnostics.map(({ message }) => message) }
}

const STEPS = 'steps:\n  - { id: list, uses: groups.list }\n'

describe.each(OTHERS)('%s', (_what, make, why) => {
  test('as a file of days off is named as what it is', () => {
    const schedule = 'triggers: [{ id: n, schedule: { cron: 0 2 * * *, exclude: { file: named.yaml } } }]\n'
    expect(project(make, schedule + STEPS).said).toEqual([`the days off in named.yaml cannot be read: ${why}`])
  })

  test('as a pipeline that a step runs', () => {
    const { path, said } = project(make, 'steps:\n  - { id: call, uses: pipelines.run, with: { file: named.yaml } }\n')
    expect(said).toEqual([`${path} cannot be read: ${why}`])
  })

  test('as the list of an input', () => {
    const inputs = 'inputs: { people: { type: list, items: { id: string } } }\n'
    const { folder, path, pipeline } = project(make, inputs + STEPS)
    const sources = { cwd: folder, exists: () => true, read: documentAt, checkFile: () => undefined }
    expect(() => resolveInputs(pipeline!, { ...sources, given: [`people=@${path}`] })).toThrow(
      `the file ${path} of the input people cannot be read: ${why}`,
    )
  })
})

test('where nothing is, there is no document', () => {
  expect(documentAt(join(tempFolder(), 'gone.yaml'))).toBeUndefined()
})
