import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { writeMinute } from '../views/write-time.ts'

/** A slot by the clock of its schedule, and by that of this machine if it differs. */
export function writeSlot({ trigger, localTime }: Schedule, ms: number): string {
  const { date, time } = localTime(ms)
  const [there, here] = [`${date} ${time} ${trigger.timezone}`, writeMinute(ms)]
  return there === here ? there : `${there} (${here})`
}

/** By the clock of a schedule, with its offset, for programs: `2026-03-08T03:00:00-04:00`. */
export function localTimestamp({ localTime }: Schedule, ms: number): string {
  const { date, time, offset } = localTime(ms)
  return `${date}T${time}:00${offset}`
}
