import { describe, expect, test } from 'vitest'
import { besideText } from '../../../src/console/client/pages/service/beside-text.ts'
import { faultText } from '../../../src/console/client/pages/service/fault-text.ts'
import { EMPTY_FAULT, type FaultForm, readFault } from '../../../src/console/client/pages/service/read-fault.ts'
import { stillRows } from '../../../src/console/client/pages/service/still-rows.ts'

const textOf = (form: Partial<FaultForm>) => {
  const spec = readFault({ ...EMPTY_FAULT, operation: 'segments.list', ...form })
  return spec && faultText(spec)
}

describe('a fault', () => {
  test.each<[Partial<FaultForm>, string]>([
    [{ operation: '*' }, 'Every request to any operation: status 503 instead of the operation'],
    [{ times: '1' }, 'The first request to segments.list: status 503 instead of the operation'],
    [{ times: '1200' }, 'The first 1,200 requests to segments.list: status 503 instead of the operation'],
    [
      { status: '429', retryAfter: ' 5 ' },
      'Every request to segments.list: status 429 instead of the operation, with Retry-After 5',
    ],
    [
      { which: 'nth', nth: '3', action: 'resetAfter' },
      'Request number 3 to segments.list: the operation happens, then the connection breaks',
    ],
    [
      { which: 'nth', nth: '3', times: '2', action: 'truncate' },
      '2 requests, beginning with number 3, to segments.list: the operation happens, but only half of the response arrives',
    ],
    [
      { which: 'share', percent: '12.5', action: 'delay', seconds: '1.5' },
      'About 12.5 % of the requests to segments.list: the operation happens 1.5 s later',
    ],
    [
      { which: 'share', percent: '50', times: '4', action: 'garbage', garbage: 'json' },
      'About 50 % of the requests (4 at most) to segments.list: the operation happens, but the response is unreadable JSON',
    ],
    [{ action: 'lag', seconds: '3600' }, 'Every request to segments.list: what it creates is not found for 1 h 00 min'],
  ])('%j', (form, text) => {
    expect(textOf(form)).toBe(text)
  })

  test.each<Partial<FaultForm>>([
    { status: '399' },
    { status: '600' },
    { status: '' },
    { status: '500.5' },
    { times: '0' },
    { times: 'many' },
    { which: 'nth', nth: '0' },
    { which: 'nth', nth: ' ' },
    { which: 'share', percent: '101' },
    { action: 'delay', seconds: '-1' },
    { action: 'lag', seconds: '86401' },
  ])('is none with %j', (form) => {
    expect(textOf(form)).toBeUndefined()
  })

  test('has only the fields of its action', () => {
    expect(readFault({ ...EMPTY_FAULT, action: 'garbage', percent: 'x', seconds: 'x', status: 'x' })).toEqual({
      operation: '*',
      action: 'garbage',
      garbage: 'html',
    })
  })
})

test('rows under a reader change in place, go when they left the list, and new ones wait above', () => {
  const still = (shown: string, read: string, limit = 100) => {
    const keyOf = (row: string) => row.charAt(0)
    const { rows, newer } = stillRows(shown.split(' '), read.split(' '), { keyOf, limit })
    return `${rows.join(' ')} +${newer}`
  }
  expect(still('c1 b1 a1', 'c1 b1 a1')).toBe('c1 b1 a1 +0')
  expect(still('c1 b1 a1', 'e1 d1 c2 a2')).toBe('c2 a2 +2')
  expect(still('c1 b1 a1', 'e1 d1 c1', 3)).toBe('c1 b1 a1 +2')
  expect(still('c1 b1', 'f1 e1 d1', 3)).toBe('c1 b1 +3')
  expect(still('c1 b1', 'e1 d1')).toBe('e1 d1 +0')
})

test.each([
  [999, 'as this machine’s'],
  [-999, 'as this machine’s'],
  [3_600_000, '1 h 00 min ahead of this machine’s'],
  [-90_000, '1 min 30 s behind this machine’s'],
])('a clock that is %i ms ahead is %s', (offsetMs, text) => {
  expect(besideText(offsetMs)).toBe(text)
})
