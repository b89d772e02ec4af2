import { expect, test } from 'vitest'
import { operationOf, operations } from '../../src/contract/operations.ts'

/** What `send-write.ts` and `operation-step.ts` rely on: the answer to such a write is its job. */
test('a write that must not be sent again blindly starts a job', () => {
  const ids = Object.keys(operations) as (keyof typeof operations)[]
  const wary = ids.filter((id) => ['lookUp', 'onceMore', 'never'].includes(operationOf(id).repeat))
  expect(wary.length).toBeGreaterThan(0)
  expect(wary.filter((id) => !operationOf(id).job)).toEqual([])
})
