import { expect, test } from 'vitest'
import { deadlineOf } from '../../../src/triggers/schedule/deadline-of.ts'

test.each([
  ['the same morning', '06:00', '2026-01-31T07:00Z', '2026-01-31T11:00Z'],
  ['the next day', '01:00', '2026-01-31T07:00Z', '2026-02-01T06:00Z'],
  ['not the slot itself', '02:00', '2026-01-31T07:00Z', '2026-02-01T07:00Z'],
  ['over a change of clocks', '06:00', '2026-03-08T05:00Z', '2026-03-08T10:00Z'],
  ['in the gap: just after it', '02:30', '2026-03-08T05:00Z', '2026-03-08T07:00Z'],
  ['in the repeated hour: the first time', '01:30', '2026-11-01T04:00Z', '2026-11-01T05:30Z'],
])('%s', (_what, deadline, slot, expected) => {
  expect(deadlineOf({ deadline, timezone: 'America/New_York' }, Date.parse(slot))).toBe(Date.parse(expected))
})

test('without one there is none', () => {
  expect(deadlineOf({ timezone: 'UTC' }, 0)).toBeUndefined()
})

test('it is on the same day in each month', () => {
  for (let month = 0; month < 12; month += 1)
    expect(deadlineOf({ deadline: '06:30', timezone: 'UTC' }, Date.UTC(2026, month, 15, 2))).toBe(
      Date.UTC(2026, month, 15, 6, 30),
    )
})
