import { pauseTrigger, resumeTrigger } from '../../acts/pause-trigger.ts'
import { count } from '../../core/format/figures.ts'
import { triggerName } from '../../core/occurrence.ts'
import type { State } from '../../state/state.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { writeTime } from '../views/write-time.ts'
import { withState } from '../with-state.ts'
import { findSchedules } from './find-schedules.ts'

/** Pauses schedules; schedules that are already paused keep the time when they were paused. */
export async function pauseSchedules(name: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const actor = signedBy(flags, terminal)
  const { settings, schedules } = await findSchedules(name, terminal)
  const pause = async ({ occurrences }: State) => {
    for (const { ref } of schedules) {
      const { pausedAt, wasPaused } = await pauseTrigger(ref, actor, {
        occurrences,
        clock: terminal.surroundings.clock,
      })
      const fact = wasPaused ? `was paused already, since ${writeTime(pausedAt)}` : 'paused'
      terminal.out.write(`${triggerName(ref)}: ${fact}\n`)
    }
    terminal.out.write(`their slots are skipped until \`audience schedule resume ${name}\`\n`)
    return 0
  }
  return withState(terminal, pause, settings)
}

/** Resumes paused schedules. */
export async function resumeSchedules(name: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const actor = signedBy(flags, terminal)
  const { settings, schedules } = await findSchedules(name, terminal)
  const resume = async ({ occurrences }: State) => {
    for (const schedule of schedules) {
      const { ref } = schedule
      const { wasPaused, skipped } = await resumeTrigger({ ref, schedule }, actor, {
        occurrences,
        clock: terminal.surroundings.clock,
      })
      const missed = skipped > 0 ? `; ${count(skipped, 'slot')} skipped while nothing ran` : ''
      terminal.out.write(`${triggerName(ref)}: ${wasPaused ? `resumed${missed}` : 'was not paused'}\n`)
    }
    return 0
  }
  return withState(terminal, resume, settings)
}
