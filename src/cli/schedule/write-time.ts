import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { writeMinute } from '../views/write-time.ts'

/** A slot on the clock of its schedule, and on the clock of this machine if that differs. */
export function writeSlot({ trigger, localTime }: Schedule, ms: number): string {
  const { date, time } = localTime(ms)
  const [there, here] = [`${date} ${time} ${trigger.timezone}`, writeMinute(ms)]
  return there === here ? there : `${there} (${here})`
}

/** A time on the clock of a schedule, with its offset, for programs: `2026-03-08T03:00:00-04:00`. */
export function localTimestamp({ localTime }: Schedule, ms: number): string {
  const { date, time, offset } = localTime(ms)
  return `${date}T${time}:00${offset}`
}
