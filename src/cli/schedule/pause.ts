import { systemClock } from '../../platform/clock.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { noteSlots } from '../../triggers/schedule/note-slots.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { count } from '../views/figures.ts'
import { writeTime } from '../views/write-time.ts'
import { withState } from '../with-state.ts'
import { type FoundSchedule, findSchedules, nameOf } from './find-schedules.ts'

/** Pauses schedules; schedules that are already paused keep the time when they were paused. */
export async function pauseSchedules(name: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const signed = signedBy(flags, terminal)
  const { settings, schedules } = await findSchedules(name, terminal)
  return withState(
    terminal,
    async ({ occurrences }) => {
      for (const { ref } of schedules) {
        const before = (await occurrences.memory(ref))?.pausedAt
        await occurrences.pause(ref, systemClock.now(), signed)
        const fact = before === undefined ? 'paused' : `was paused already, since ${writeTime(before)}`
        terminal.out.write(`${nameOf(ref)}: ${fact}\n`)
      }
      terminal.out.write(`their slots are skipped until \`audience schedule resume ${name}\`\n`)
      return 0
    },
    settings,
  )
}

/** Resumes paused schedules. */
export async function resumeSchedules(name: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const signed = signedBy(flags, terminal)
  const { settings, schedules } = await findSchedules(name, terminal)
  return withState(
    terminal,
    async ({ occurrences }) => {
      for (const schedule of schedules) {
        const { ref } = schedule
        const isPaused = (await occurrences.memory(ref))?.pausedAt !== undefined
        const skipped = isPaused ? await accountForPause(schedule, occurrences) : 0
        await occurrences.unpause(ref, signed)
        const fact = isPaused
          ? `resumed${skipped > 0 ? `; ${count(skipped, 'slot')} skipped while nothing ran` : ''}`
          : 'was not paused'
        terminal.out.write(`${nameOf(ref)}: ${fact}\n`)
      }
      return 0
    },
    settings,
  )
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
