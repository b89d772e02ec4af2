import { expect, test } from 'vitest'
import { comingSlots } from '../../../src/triggers/schedule/coming-slots.ts'
import { createSchedule } from '../../../src/triggers/schedule/schedule.ts'
import { scheduleTrigger } from './a-schedule.ts'

test('coming slots end before a given time, and are looked for no further', () => {
  const at = (day: number) => Date.parse(`2026-11-0${day}T02:00:00Z`)
  const daily = createSchedule('p', scheduleTrigger())
  const looked: number[] = []
  const schedule = {
    ...daily,
    *slotsAfter(ms: number) {
      for (const slot of daily.slotsAfter(ms)) {
        looked.push(slot)
        yield slot
      }
    },
  }
  const { slots } = comingSlots(schedule, { after: at(1), limit: 1000, to: at(4) })
  expect(slots.map((slot) => slot.at)).toEqual([at(2), at(3)])
  expect(looked).toEqual([at(2), at(3), at(4)])
})
