import { expect, test } from 'vitest'
import { shownPath } from '../../src/core/shown-path.ts'

test.each([
  ['/data/people.csv', '/data/people.csv'],
  ['/data/inbox/.taken/nightly.drop/1795490201024-a~0/today.csv', 'today.csv'],
  ['/data/.taken.csv', '/data/.taken.csv'],
])('%s is shown as %s', (path, shown) => {
  expect(shownPath(path)).toBe(shown)
})
