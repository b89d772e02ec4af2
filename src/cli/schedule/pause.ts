import { count } from '../../core/format/figures.ts'
import { triggerName } from '../../core/occurrence.ts'
import { systemClock } from '../../platform/clock.ts'
import { accountForPause } from '../../triggers/schedule/account-for-pause.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { writeTime } from '../views/write-time.ts'
import { withState } from '../with-state.ts'
import { findSchedules } from './find-schedules.ts'

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
        terminal.out.write(`${triggerName(ref)}: ${fact}\n`)
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
        const skipped = isPaused ? await accountForPause(schedule, occurrences, systemClock.now()) : 0
        await occurrences.unpause(ref, signed)
        const fact = isPaused
          ? `resumed${skipped > 0 ? `; ${count(skipped, 'slot')} skipped while nothing ran` : ''}`
          : 'was not paused'
        terminal.out.write(`${triggerName(ref)}: ${fact}\n`)
      }
      return 0
    },
    settings,
  )
}
