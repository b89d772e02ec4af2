import { expect, test } from 'vitest'
import { backfillSlots, slotPeriod, withdrawSlots } from '../../src/acts/backfill-slots.ts'
import type { OccurrenceStore } from '../../src/state/occurrence-store.ts'
import { createSchedule } from '../../src/triggers/schedule/schedule.ts'
import { memoryOccurrenceStore } from '../support/memory-occurrence-store.ts'
import { scheduleTrigger } from '../triggers/schedule/a-schedule.ts'

const schedule = createSchedule('p', scheduleTrigger())
const clock = { now: () => Date.parse('2026-03-10T00:00Z') }
const NIGHTS = ['2026-03-05', '2026-03-06', '2026-03-07'].map((day) => Date.parse(`${day}T02:00Z`))
const period = slotPeriod({ from: Date.parse('2026-03-05'), to: Date.parse('2026-03-08') }, clock.now())

/** A store in which somebody else does something just before occurrences are noted. */
function storeWith(store: OccurrenceStore, other: () => unknown): OccurrenceStore {
  return {
    ...store,
    async note(ref, change) {
      await other()
      return await store.note(ref, change)
    },
  }
}

const backfill = async (occurrences: OccurrenceStore, by: string) => {
  const options = { onlyMissing: false, actor: { by } }
  const [done] = await backfillSlots([{ schedule, period }], options, { occurrences, clock })
  return done?.backfill
}

test('a slot that another process makes due at the same moment is that process’s, and becomes due once', async () => {
  const store = memoryOccurrenceStore()
  const quicker = () => backfill(store, 'Ana')
  const slower = await backfill(storeWith(store, quicker), 'Bo')
  expect(slower).toMatchObject({ due: [], taken: 3 })
  expect(await backfill(store, 'Bo')).toMatchObject({ due: [], waiting: 3, taken: 0 })
  const due = await store.due(schedule.ref, 9)
  expect(due.map(({ at, detail }) => [at, detail?.askedBy])).toEqual(NIGHTS.map((at) => [at, 'Ana']))
})

test('a slot whose run begins while it is withdrawn is not said to be', async () => {
  const store = memoryOccurrenceStore()
  await backfill(store, 'Ana')
  const [, second = 0] = NIGHTS
  const begins = () => store.take({ ...schedule.ref, key: new Date(second).toISOString(), at: second }, 'run')
  const withdrawn = await withdrawSlots(schedule.ref, { period, actor: {} }, { occurrences: storeWith(store, begins) })
  expect(withdrawn).toEqual(NIGHTS.filter((at) => at !== second).toReversed())
})
