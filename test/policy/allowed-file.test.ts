import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileProblem, isInside, isOfGit } from '../../src/policy/allowed-file.ts'
import { fileCheck } from '../../src/policy/enforce.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A project with a folder `in`, another folder next to it, and links from one to the other. */
function place() {
  const folder = tempFolder()
  const at = (name: string) => join(folder, name)
  for (const name of ['project/in', 'project/in..', 'project/documents', 'beside'])
    mkdirSync(at(name), { recursive: true })
  writeFileSync(at('beside/secret.csv'), '')
  symlinkSync(at('beside'), at('project/in/out'))
  symlinkSync('loop', at('project/in/loop'))
  return at
}

test.each([
  ['in', true],
  ['in/a.csv', true],
  ['in/new/a.csv', true],
  ['in/..a/b.csv', true],
  ['in..', false],
  ['in../a.csv', false],
  ['in/../documents', false],
  ['.', false],
  ['..', false],
  ['in/out/secret.csv', false],
  ['in/out/new/a.csv', false],
  ['in/out/secret.csv/below-a-file', false],
  // A file that cannot be examined is judged by its name.
  ['in/loop/a.csv', true],
  ['documents', false],
])('%s is in the folder `in`: %s', (name, isIn) => {
  const at = place()
  expect(isInside(join(at('project'), name), [at('beside/none'), at('project/in')])).toBe(isIn)
  expect(isInside(join(at('project'), name), [])).toBe(false)
})

test('what is outside fileRoots is an error, also in a run, and says where links lead', () => {
  const at = place()
  const policy = { ownEnv: [], fileRoots: [at('project/in')], project: at('project') }
  const check = fileCheck(policy)
  const path = at('project/in/out/secret.csv')
  expect(fileProblem(path, at('project/documents'), policy)).toMatchObject({
    severity: 'error',
    message: `${path} (${at('beside/secret.csv')}) is outside policy.fileRoots of audience.yaml`,
  })
  expect(fileProblem(at('project/documents/a.csv'), at('project/documents'), policy)).toMatchObject({
    message: `${at('project/documents/a.csv')} is outside policy.fileRoots of audience.yaml`,
  })
  expect(() => check(path)).toThrow('is outside policy.fileRoots')
  expect(() => check(at('project/in/a.csv'))).not.toThrow()
})

test('without fileRoots, only what is outside the project gets a warning, and no run is stopped', () => {
  const at = place()
  const policy = { ownEnv: [], project: at('project') }
  const problemOf = (name: string, folder: string, of: { ownEnv: string[]; project?: string } = policy) =>
    fileProblem(at(name), at(folder), of)
  expect(problemOf('project/in/a.csv', 'project/documents')).toBeUndefined()
  expect(problemOf('beside/a.csv', 'project/documents')).toMatchObject({
    severity: 'warning',
    message: `${at('beside/a.csv')} is outside the project ${at('project')}`,
  })
  // If a document is not below the folder of audience.yaml, or if there is no audience.yaml, its project is its own
  // folder.
  expect(problemOf('beside/a.csv', 'beside')).toBeUndefined()
  expect(problemOf('project/in/a.csv', 'beside')).toMatchObject({ severity: 'warning' })
  expect(problemOf('project/in/a.csv', 'project/documents', { ownEnv: [] })).toMatchObject({
    severity: 'warning',
    hint: expect.stringContaining('there is no audience.yaml'),
  })
  expect(() => fileCheck(policy)(at('beside/a.csv'))).not.toThrow()
})

test.each([
  ['/p/.git/config', true],
  ['/p/.GIT', true],
  ['.Git/hooks/a', true],
  ['/p/git/a.csv', false],
  ['/p/.github/a.yaml', false],
  ['/p/a.git/a.csv', false],
])('%s is of git: %s', (path, isSo) => {
  expect(isOfGit(path)).toBe(isSo)
})
