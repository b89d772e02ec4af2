import { isCron, readCron } from '../../../src/triggers/schedule/read-cron.ts'
import { slotsAfter } from '../../../src/triggers/schedule/slots-after.ts'
import { timeZone } from '../../../src/triggers/schedule/time-zone.ts'

interface Asked {
  readonly cron: string
  readonly zone: string
  readonly repeatedHour?: 'once' | 'twice' | undefined
}

/** The slots of a cron line in `[from, to)`, or the first `most` of them. */
export function slotsBetween({ cron, zone, repeatedHour }: Asked, from: number, to: number, most = Infinity): number[] {
  const read = readCron(cron)
  if (!isCron(read)) throw new Error(`${cron}: ${read.message}`)
  const slots: number[] = []
  for (const slot of slotsAfter({ cron: read, zone: timeZone(zone), repeatedHour }, from - 1)) {
    if (slot >= to || slots.length === most) break
    slots.push(slot)
  }
  return slots
}

/** The same in UTC, as `2026-03-08T07:00Z`, for tables. */
export function written(asked: Asked, from: string, to: string): string[] {
  const slots = slotsBetween(asked, Date.parse(from), Date.parse(to))
  return slots.map((slot) => new Date(slot).toISOString().replace(':00.000Z', 'Z'))
}
