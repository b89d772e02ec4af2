import { expect, test } from 'vitest'
import { withoutRun } from '../../src/notifications/occurrence-notifications.ts'

test('a file that changed after it was read is told as such, and one of which no run could be made as that', () => {
  const failed = { pipeline: 'nightly', trigger: 'drop', key: 'k', at: 5, state: 'failed', reason: 'why' } as const
  const detail = { name: 'a.csv', file: '/in/a.csv' }
  const title = (more: object) => withoutRun({ ...failed, detail: { ...detail, ...more } }, undefined)?.title
  expect(title({ changed: true })).toMatch(/a\.csv.* changed after nightly had read it$/)
  expect(title({})).toMatch(/^no run of nightly could be made for .*a\.csv/)
  expect(withoutRun({ ...failed, state: 'ran' }, undefined)).toBeUndefined()
})

test.each([
  ['down', /was not running then, and this schedule does not catch up/],
  ['expired', /started again too late/],
  ['superseded', /only the last missed slot is run/],
  ['a reason of another version', /^a reason of another version$/],
])('a slot that was missed says why: %s', (reason, message) => {
  const missed = { pipeline: 'nightly', trigger: 'night', key: 'k', at: 5, state: 'missed' } as const
  expect(withoutRun({ ...missed, reason }, undefined)?.error).toMatchObject({
    code: 'missed',
    message: expect.stringMatching(message),
  })
  expect(withoutRun(missed, undefined)?.error).toBeUndefined()
})
