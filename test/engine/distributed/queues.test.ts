import { expect, test } from 'vitest'
import { ownerOf, ownQueueOf, queueOf } from '../../../src/engine/distributed/dbos.ts'

test('a queue keeps its name over versions, because runs wait in it', () => {
  expect(queueOf({ profile: 'local' })).toBe('runs-efb83f2a277e9f49')
  expect(queueOf({ profile: 'staging', service: 'https://service.example.org' })).toBe('runs-5fd48f35fb1350c0')
})

test('the queue of a process names it, and that of many names none', () => {
  expect(ownerOf(ownQueueOf('a-1'))).toBe('a-1')
  expect(ownerOf(queueOf({ profile: 'local' }))).toBeUndefined()
})
