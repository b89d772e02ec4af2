import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../src/core/diagnostic.ts'
import { InvalidDocumentError } from '../../src/core/errors.ts'
import { projectOf, readTestFile } from '../../src/rehearsal/test-project.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PIPELINE = `version: 1
name: p
inputs: { groupId: { type: integer } }
steps: [{ id: list, uses: groups.list }]
`
const documentFor = (profile: string) => `test: p.yaml
given: { from: 2026-10-20, profile: ${profile} }
tests: [{ it: lists the groups, do: [{ run: {} }] }]
`

function project() {
  const root = tempFolder()
  mkdirSync(join(root, 'pipelines'))
  const write = (path: string, text: string) => writeFileSync(join(root, path), text)
  write(
    'audience.yaml',
    'profiles: { staging: { baseUrl: "https://staging.example.com", inputs: { groupId: 1 } }, other: {} }\n',
  )
  write('pipelines/p.yaml', PIPELINE)
  write('pipelines/p.test.yaml', documentFor('staging'))
  return { root, write, file: join(root, 'pipelines/p.test.yaml') }
}

test('a test belongs to the project of the audience.yaml above it, and has the inputs of its profile', () => {
  const { root, write, file } = project()
  expect(projectOf(file)).toBe(root)
  expect(readTestFile(file, root)).toMatchObject({ file, pipeline: join(root, 'pipelines/p.yaml') })
  write('pipelines/p.test.yaml', documentFor('other'))
  expect(() => readTestFile(file, root)).toThrow(InvalidDocumentError)
})

test('a test that is not there is told with its path', () => {
  const { root } = project()
  const file = join(root, 'pipelines/q.test.yaml')
  expect(() => readTestFile(file, root)).toThrow(
    expect.objectContaining({ code: 'document-unreadable', kind: 'usage' }),
  )
})

test('without an audience.yaml, a file outside the folder of the test is one for which that is missing', () => {
  const folder = join(tempFolder(), 'pipelines')
  mkdirSync(folder)
  const steps =
    'steps: [{ id: up, uses: files.upload, with: { file: ../a.csv, uploadSignal: EMAIL, resultContent: BGID } }]'
  writeFileSync(join(folder, 'p.yaml'), `version: 1\nname: p\n${steps}\n`)
  writeFileSync(
    join(folder, 'p.test.yaml'),
    'test: p.yaml\ngiven: { from: 2026-10-20, files: { ../a.csv: { people: 5 } } }\ntests: [{ it: runs, do: [{ run: {} }] }]\n',
  )
  const file = join(folder, 'p.test.yaml')
  const hints = diagnosticsOf(() => readTestFile(file, projectOf(file))).map(({ code, hint }) => `${code} ${hint}`)
  const missing = expect.stringMatching(/^file-not-allowed there is no audience\.yaml, .*put one, which may be empty/)
  expect(hints).toEqual([missing, missing])
})

test('a network with a mistake is a problem of the test', () => {
  const { root, write, file } = project()
  write('network.yaml', 'version: 1\n')
  write(
    'pipelines/p.test.yaml',
    documentFor('staging').replace('profile', 'service: { network: ../network.yaml }, profile'),
  )
  expect(problemsOf(() => readTestFile(file, root))).toEqual(['../network.yaml is not a valid network'])
})

const problemsOf = (read: () => unknown) => diagnosticsOf(read).map(({ message }) => message)

function diagnosticsOf(read: () => unknown): readonly Diagnostic[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error
    return error.diagnostics
  }
}
