import type { Schedule } from '../../triggers/schedule/schedule.ts'

/** A slot by the clocks of its schedule and of this machine, for people. */
export function writeTime({ trigger, localTime }: Schedule, ms: number): string {
  const { date, time } = localTime(ms)
  return `${date} ${time} ${trigger.timezone} (${writeHere(ms)} here)`
}

/** By the clock of this machine: `2026-03-08 03:00`. */
export function writeHere(ms: number): string {
  const at = new Date(ms)
  const pad = (value: number) => String(value).padStart(2, '0')
  const date = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${date} ${pad(at.getHours())}:${pad(at.getMinutes())}`
}

/** By the clock of a schedule, with its offset, for programs: `2026-03-08T03:00:00-04:00`. */
export function localTimestamp({ localTime }: Schedule, ms: number): string {
  const { date, time, offset } = localTime(ms)
  return `${date}T${time}:00${offset}`
}
