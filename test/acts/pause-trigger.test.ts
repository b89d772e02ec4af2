import { expect, test } from 'vitest'
import { pauseTrigger, resumeTrigger } from '../../src/acts/pause-trigger.ts'
import { createSchedule } from '../../src/triggers/schedule/schedule.ts'
import { memoryOccurrenceStore } from '../support/memory-occurrence-store.ts'
import { scheduleTrigger } from '../triggers/schedule/a-schedule.ts'

const schedule = createSchedule('p', scheduleTrigger())
const { ref } = schedule
const ANA = { by: 'Ana' }
const at = (time: string) => ({ now: () => Date.parse(time) })
const ends = {} as never

test('a trigger that is paused again keeps the time of its pause', async () => {
  const occurrences = memoryOccurrenceStore()
  const pausedAt = Date.parse('2026-03-05T12:00Z')
  const pause = (time: string) => pauseTrigger(ref, ANA, { occurrences, clock: at(time) })
  expect(await pause('2026-03-05T12:00Z')).toEqual({ pausedAt, wasPaused: false })
  expect(await pause('2026-03-06T12:00Z')).toEqual({ pausedAt, wasPaused: true })
  expect((await occurrences.memory(ref))?.pausedAt).toBe(pausedAt)
})

test.each([
  ['a schedule', { kind: 'schedule', ref, schedule }, true, 3],
  ['a schedule that is not paused', { kind: 'schedule', ref, schedule }, false, 0],
  ['a watched folder', { kind: 'watch', ref }, true, 0],
] as const)('the slots of a pause in which nothing ran are skipped: %s', async (_, trigger, wasPaused, skipped) => {
  const occurrences = memoryOccurrenceStore()
  await occurrences.note(ref, { occurrences: [], cursor: Date.parse('2026-03-05T12:00Z'), times: schedule.times })
  if (wasPaused) await pauseTrigger(ref, ANA, { occurrences, clock: at('2026-03-05T12:00Z') })
  const resumed = await resumeTrigger(trigger, ANA, { occurrences, ends, clock: at('2026-03-08T12:00Z') })
  expect(resumed).toEqual({ wasPaused, skipped })
  expect((await occurrences.memory(ref))?.pausedAt).toBeUndefined()
  expect(occurrences.all().map(({ state, reason }) => [state, reason])).toEqual(
    Array.from({ length: skipped }, () => ['skipped', 'paused']),
  )
})
