import { expect, test } from 'vitest'
import { errorKey } from '../../src/core/error-key.ts'

const error = {
  code: 'rejected',
  step: 'match',
  message: 'segment 5001 of run 20261128t065647-qxqucsz9gz: 404 after 3.5 s',
}

test.each([
  ['other numbers, ids and times', { message: 'segment 77 of run 20261129t000000-aaaa1: 404 after 12 s' }, true],
  ['another message', { message: 'segment 5001 is gone' }, false],
  ['another step', { step: 'upload' }, false],
  ['another code', { code: 'timeout' }, false],
])('%s: %j is the same kind: %s', (_, other, isSame) => {
  expect(errorKey({ ...error, ...other }) === errorKey(error)).toBe(isSame)
})

test('two items of a forEach fail in the same way', () => {
  expect(errorKey({ ...error, step: 'each[3].match' })).toBe(errorKey({ ...error, step: 'each[seg07].match' }))
})

test('a long message is read once', () => {
  // Searching for a digit again from each character would take half an hour.
  const long = '_'.repeat(1_000_000)
  expect(errorKey({ ...error, message: `${long} 1` })).toBe(errorKey({ ...error, message: `${long} 22` }))
})

test('of a word with a digit, all of it may differ', () => {
  const key = (message: string) => errorKey({ ...error, message })
  expect(key('run-20261128t065647:é٣_x. failed')).toBe(key('# failed'))
  expect(key('run-x failed')).not.toBe(key('# failed'))
})
