import { pauseTrigger, resumeTrigger } from '../../acts/pause-trigger.ts'
import { count } from '../../core/format/figures.ts'
import { triggerName } from '../../core/occurrence.ts'
import type { State } from '../../state/state.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { writeTime } from '../views/write-time.ts'
import { withState } from '../with-state.ts'
import { findSchedules } from './find-schedules.ts'

/**
 * Pauses schedules, and also triggers that fire when other runs end. Those that are already paused keep the time of
 * their pause.
 */
export async function pauseSchedules(name: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const actor = signedBy(flags, terminal)
  const { settings, schedules, afters } = await findSchedules(name, terminal)
  const pause = async ({ occurrences }: State) => {
    for (const { ref } of [...schedules, ...afters]) {
      const { pausedAt, wasPaused } = await pauseTrigger(ref, actor, {
        occurrences,
        clock: terminal.surroundings.clock,
      })
      const fact = wasPaused ? `was already paused, since ${writeTime(pausedAt)}` : 'paused'
      terminal.out.write(`${triggerName(ref)}: ${fact}\n`)
    }
    terminal.out.write(`${skippedOf(schedules, afters)} skipped until \`audience schedule resume ${name}\`\n`)
    return 0
  }
  return withState(terminal, pause, settings)
}

/** Resumes paused schedules and triggers. */
export async function resumeSchedules(name: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const actor = signedBy(flags, terminal)
  const { settings, schedules, afters } = await findSchedules(name, terminal)
  const resume = async ({ occurrences, ends }: State) => {
    const ofSchedules = schedules.map((schedule) => ({ kind: 'schedule', ref: schedule.ref, schedule }) as const)
    for (const found of [...ofSchedules, ...afters]) {
      const { ref, kind } = found
      const { clock } = terminal.surroundings
      const { wasPaused, skipped } = await resumeTrigger(found, actor, { occurrences, ends, clock })
      const what = kind === 'schedule' ? 'slot' : 'set'
      const missed = skipped > 0 ? `; ${count(skipped, what)} skipped while nothing ran` : ''
      terminal.out.write(`${triggerName(ref)}: ${wasPaused ? `resumed${missed}` : 'was not paused'}\n`)
    }
    return 0
  }
  return withState(terminal, resume, settings)
}

/** The beginning of the sentence that says what a pause skips. */
function skippedOf(schedules: readonly unknown[], afters: readonly unknown[]): string {
  if (afters.length === 0) return 'their slots are'
  return schedules.length === 0 ? 'runs after other pipelines are' : 'their slots, and runs after other pipelines, are'
}
