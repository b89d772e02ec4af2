import { expect, test } from 'vitest'
import { operationOf, operations } from '../../src/contract/operations.ts'

/** What `send-write.ts` and `operation-step.ts` rely on: the answer to such a write is its job. */
test('a write that must not be sent again blindly starts a job', () => {
  const ids = Object.keys(operations) as (keyof typeof operations)[]
  const wary = ids.filter((id) => ['lookUp', 'onceMore', 'never'].includes(operationOf(id).repeat))
  expect(wary.length).toBeGreaterThan(0)
  expect(wary.filter((id) => !operationOf(id).job)).toEqual([])
})

/** The compiler refuses a missing key and a wrong value. It accepts an unknown key, because the entries are spread. */
test('an entry has no unknown key', () => {
  const entry = [
    ...['method', 'path', 'summary', 'description', 'input', 'rules', 'upload', 'output', 'shows', 'status'],
    ...['accept', 'notFound', 'list', 'job', 'repeat'],
  ]
  const unknown = (value: object | undefined, known: readonly string[]) =>
    Object.keys(value ?? {}).filter((key) => !known.includes(key))
  for (const [id, operation] of Object.entries(operations)) {
    const { list, job } = operationOf(id as keyof typeof operations)
    const found = [
      ...unknown(operation, entry),
      ...unknown(list, ['items', 'id', 'paged', 'emptyIs404']),
      ...unknown(job, ['resource', 'read']),
      ...unknown(job?.read, ['operation', 'by']),
    ]
    expect([id, found]).toEqual([id, []])
  }
})
