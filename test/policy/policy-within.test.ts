import { expect, test } from 'vitest'
import { policyWithin } from '../../src/policy/policy-within.ts'

const OPEN = { ownEnv: ['SERVICE_TOKEN'] }

test('documents of a folder may use that folder, or those parts of it that the policy lists', () => {
  expect(policyWithin('/a', OPEN)).toEqual({ ...OPEN, fileRoots: ['/a'] })
  const listed = { ...OPEN, fileRoots: ['/a/lists', '/b', '/ab', '/a'] }
  expect(policyWithin('/a', listed)).toEqual({ ...OPEN, fileRoots: ['/a/lists', '/a'] })
  expect(policyWithin('/c', listed)).toEqual({ ...OPEN, fileRoots: [] })
})
