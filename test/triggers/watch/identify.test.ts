import { expect, test } from 'vitest'
import type { Occurrence } from '../../../src/core/occurrence.ts'
import { identify } from '../../../src/triggers/watch/account-for-file.ts'
import { memoryOccurrenceStore } from '../../support/memory-occurrence-store.ts'
import { DROP } from './watching.ts'

type Known = Pick<Occurrence, 'state' | 'reason' | 'open' | 'detail'>

const UNDER_WAY: Known = { state: 'ran', open: true }
const SUCCEEDED: Known = { state: 'ran', detail: { outcome: 'succeeded' } }
const FAILED: Known = { state: 'ran', detail: { outcome: 'failed' } }
const REFUSED: Known = { state: 'failed', reason: 'no such input' }
const SKIPPED: Known = { state: 'skipped', reason: 'condition' }

test.each<[string, readonly Known[], boolean, string]>([
  ['a content that is new', [], false, 'new content'],
  ['under way', [UNDER_WAY], false, 'same as content'],
  ['done', [SUCCEEDED], false, 'same as content'],
  ['failed', [FAILED], false, 'new content#2'],
  ['failed, then under way', [FAILED, UNDER_WAY], false, 'same as content#2'],
  ['failed twice', [FAILED, FAILED], false, 'new content#3'],
  ['no run could be made', [REFUSED], false, 'new content#2'],
  ['no run was wanted', [SKIPPED], false, 'new content#2'],
  ['done, with repeat', [SUCCEEDED], true, 'new content#2'],
  ['under way, with repeat', [UNDER_WAY], true, 'new content#2'],
  ['done a thousand times, with repeat', Array.from({ length: 1000 }, () => SUCCEEDED), true, 'new content#1001'],
])('%s', async (_what, known, repeat, expected) => {
  const occurrenceStore = memoryOccurrenceStore()
  const occurrences = known.map((each, index) => ({
    ...each,
    key: index === 0 ? 'content' : `content#${index + 1}`,
    at: index,
  }))
  await occurrenceStore.note(DROP, { occurrences })
  const identity = await identify(occurrenceStore, DROP, { sha256: 'content', repeat })
  expect(identity.state === 'new' ? `new ${identity.key}` : `same as ${identity.last.key}`).toBe(expected)
})
