import { expect, test } from 'vitest'
import { fileProblem, policyWithin } from '../../src/policy/allowed-file.ts'
import { fileCheck } from '../../src/policy/enforce.ts'

const OPEN = { ownEnv: ['SERVICE_TOKEN'], project: '/a' }
const problemOf = (path: string, policy: Parameters<typeof policyWithin>[1]) =>
  fileProblem(path, '/a', policyWithin('/a', policy))

test('documents of a folder may use that folder, or those parts of it that the policy lists', () => {
  expect(problemOf('/a/x.csv', OPEN)).toBeUndefined()
  const listed = { ...OPEN, fileRoots: ['/a/lists', '/b', '/ab'] }
  expect(problemOf('/a/lists/x.csv', listed)).toBeUndefined()
  expect(problemOf('/a/x.csv', listed)).toMatchObject({
    message: '/a/x.csv is outside policy.fileRoots of audience.yaml',
  })
  // If the policy lists a folder that contains the documents' folder, documents may still use only their own folder.
  expect(problemOf('/a/x.csv', { ...OPEN, fileRoots: ['/'] })).toBeUndefined()
  expect(problemOf('/ab/x.csv', { ...OPEN, fileRoots: ['/'] })).toBeDefined()
})

test.each([
  ['with an audience.yaml', OPEN, 'move it there'],
  ['that lists its folder', { ...OPEN, fileRoots: ['/b'] }, 'move it there'],
  ['without one', { ownEnv: [] }, 'there is no audience.yaml'],
])('what is outside the folder is an error, also in a run, and says what to do: %s', (_what, policy, hint) => {
  expect(problemOf('/b/x.csv', policy)).toMatchObject({
    severity: 'error',
    message: '/b/x.csv is outside the project',
    hint: expect.stringContaining(hint),
  })
  expect(() => fileCheck(policyWithin('/a', policy))('/b/x.csv')).toThrow('is outside the project')
  expect(() => fileCheck(policyWithin('/a', { ...OPEN, copies: '/copies' }))('/copies/x.csv')).not.toThrow()
})
