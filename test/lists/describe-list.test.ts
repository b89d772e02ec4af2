import { expect, test } from 'vitest'
import { describeList } from '../../src/lists/describe-list.ts'

const LIST = { keys: 5195, rows: 5201, suppressed: 0, bad: 0 }

test.each([
  ['nothing more', {}, ''],
  ['a change', { added: 1204, removed: 88 }, ', +1,204 −88'],
  ['the same people as before', { added: 0, removed: 0 }, ', +0 −0'],
  ['nobody known to be in it before', { added: null, removed: null }, ''],
  ['only those who were added', { added: 7 }, ''],
  ['only those who were removed', { removed: 7 }, ''],
  ['people who opted out', { suppressed: 1200 }, ', 1,200 suppressed'],
  ['bad rows', { bad: 1 }, ', 1 bad'],
])('a list with %s, in one line', (_what, more, text) => {
  expect(describeList({ ...LIST, ...more })).toBe(`5,195 keys of 5,201 rows${text}`)
})
