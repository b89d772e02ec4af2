import { systemClock } from '../../platform/clock.ts'
import type { TriggerLedger } from '../../state/occurrence-store.ts'
import { noteSlots } from '../../triggers/schedule/note-slots.ts'
import type { Terminal } from '../terminal.ts'
import { count } from '../views/figures.ts'
import { type FoundSchedule, findSchedules, nameOf } from './find-schedules.ts'
import { withLedger } from './with-ledger.ts'
import { writeHere } from './write-time.ts'

/** Pauses schedules; schedules that are already paused keep the time when they were paused. */
export async function pauseSchedules(name: string, terminal: Terminal): Promise<number> {
  const { settings, schedules } = await findSchedules(name, terminal)
  return withLedger(settings, async (ledger) => {
    for (const { ref } of schedules) {
      const before = ledger.memory(ref)?.pausedAt
      await ledger.pause(ref, systemClock.now())
      const fact = before === undefined ? 'paused' : `was paused already, since ${writeHere(before)}`
      terminal.out.write(`${nameOf(ref)}: ${fact}\n`)
    }
    terminal.out.write(`their slots are skipped until \`audience schedule resume ${name}\`\n`)
    return 0
  })
}

/** Resumes paused schedules. */
export async function resumeSchedules(name: string, terminal: Terminal): Promise<number> {
  const { settings, schedules } = await findSchedules(name, terminal)
  return withLedger(settings, async (ledger) => {
    for (const schedule of schedules) {
      const { ref } = schedule
      const isPaused = ledger.memory(ref)?.pausedAt !== undefined
      const skipped = isPaused ? await accountForPause(schedule, ledger) : 0
      await ledger.unpause(ref)
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
async function accountForPause(schedule: FoundSchedule, ledger: TriggerLedger): Promise<number> {
  const now = systemClock.now()
  let skipped = 0
  for (;;) {
    const { noted, decision } = await noteSlots(schedule, ledger, now)
    skipped += noted.filter(({ state }) => state === 'skipped').length
    if (!decision.more) return skipped
  }
}
