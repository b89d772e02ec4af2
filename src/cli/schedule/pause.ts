import { systemClock } from '../../platform/clock.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { noteSlots } from '../../triggers/schedule/note-slots.ts'
import type { Terminal } from '../terminal.ts'
import { count } from '../views/figures.ts'
import { writeTime } from '../views/write-time.ts'
import { type FoundSchedule, findSchedules, nameOf } from './find-schedules.ts'
import { withOccurrenceStore } from './with-occurrence-store.ts'

/** Pauses schedules; schedules that are already paused keep the time when they were paused. */
export async function pauseSchedules(name: string, terminal: Terminal): Promise<number> {
  const { settings, schedules } = await findSchedules(name, terminal)
  return withOccurrenceStore(settings, async (occurrenceStore) => {
    for (const { ref } of schedules) {
      const before = occurrenceStore.memory(ref)?.pausedAt
      await occurrenceStore.pause(ref, systemClock.now())
      const fact = before === undefined ? 'paused' : `was paused already, since ${writeTime(before)}`
      terminal.out.write(`${nameOf(ref)}: ${fact}\n`)
    }
    terminal.out.write(`their slots are skipped until \`audience schedule resume ${name}\`\n`)
    return 0
  })
}

/** Resumes paused schedules. */
export async function resumeSchedules(name: string, terminal: Terminal): Promise<number> {
  const { settings, schedules } = await findSchedules(name, terminal)
  return withOccurrenceStore(settings, async (occurrenceStore) => {
    for (const schedule of schedules) {
      const { ref } = schedule
      const isPaused = occurrenceStore.memory(ref)?.pausedAt !== undefined
      const skipped = isPaused ? await accountForPause(schedule, occurrenceStore) : 0
      await occurrenceStore.unpause(ref)
      const fact = isPaused
        ? `resumed${skipped > 0 ? `; ${count(skipped, 'slot')} skipped while nothing ran` : ''}`
        : 'was not paused'
      terminal.out.write(`${nameOf(ref)}: ${fact}\n`)
    }
    return 0
  })
}

/**
 * Records the slots of the pause that no daemon has seen as skipped; otherwise they would later count as missed. Returns
 * how many there were.
 */
async function accountForPause(schedule: FoundSchedule, occurrenceStore: OccurrenceStore): Promise<number> {
  const now = systemClock.now()
  let skipped = 0
  for (;;) {
    const { noted, decision } = await noteSlots(schedule, occurrenceStore, now)
    skipped += noted.filter(({ state }) => state === 'skipped').length
    if (!decision.more) return skipped
  }
}
