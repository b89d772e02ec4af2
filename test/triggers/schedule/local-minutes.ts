const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** No zone changes its clocks and changes them back within this time. */
const BLOCK_MINUTES = 15

/**
 * What the clocks of a zone show, minute by minute, according to Intl alone: the oracle for slots. A local time is
 * written as the minutes since 1970 that it would be in UTC.
 */
export function localMinutes(
  zone: string,
  fromMs: number,
  toMs: number,
  stepMs = MINUTE_MS,
): [at: number, local: number][] {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  // Like 31/01/2026, 02:30. Formatting the parts separately takes four times as long.
  const shown = (at: number) => {
    const text = format.format(at)
    const number = (from: number, to: number) => Number(text.slice(from, to))
    return Date.UTC(number(6, 10), number(3, 5) - 1, number(0, 2), number(12, 14), number(15, 17)) / MINUTE_MS
  }
  const minutes: [number, number][] = []
  const blockMs = Math.max(stepMs, BLOCK_MINUTES * MINUTE_MS)
  let next = shown(fromMs)
  for (let block = fromMs; block < toMs; block += blockMs) {
    const first = next
    next = shown(block + blockMs)
    const isEven = next - first === blockMs / MINUTE_MS
    for (let at = block; at < Math.min(block + blockMs, toMs); at += stepMs) {
      minutes.push([at, isEven ? first + (at - block) / MINUTE_MS : shown(at)])
    }
  }
  return minutes
}

/** The instants at which the clocks of a zone change in a year, rounded down to the hour. */
export function changesOf(zone: string, year: number): number[] {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' })
  const offset = (at: number) => format.format(at).split(', ')[1]
  const changes: number[] = []
  for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += 24 * HOUR_MS) {
    // No zone changes its clocks and changes them back within a day.
    if (offset(day) === offset(day + 24 * HOUR_MS)) continue
    for (let at = day; at < day + 24 * HOUR_MS; at += HOUR_MS) if (offset(at) !== offset(at + HOUR_MS)) changes.push(at)
  }
  return changes
}

export interface Fields {
  /** A star in the minute or hour: skipped times have no slot, and repeated ones have two. */
  readonly isInterval: boolean
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: readonly number[] | '*'
  readonly months: readonly number[] | '*'
  readonly weekdays: readonly number[] | '*'
}

/** The slots of the fields, found by checking every minute. */
export function slotsByLooking(
  fields: Fields,
  minutes: readonly [at: number, local: number][],
  repeatedHour: 'once' | 'twice' = fields.isInterval ? 'twice' : 'once',
): number[] {
  const slots: number[] = []
  const shown = new Set<number>()
  let before = minutes[0]![1] - 1
  const step = minutes[1]![1] - minutes[0]![1] || 1
  for (const [at, local] of minutes) {
    const leftOut = []
    for (let minute = before + step; minute < local; minute += step) leftOut.push(minute)
    const isNew = !shown.has(local)
    if (!fields.isInterval && leftOut.some((minute) => matches(fields, minute))) slots.push(at)
    else if (matches(fields, local) && (isNew || repeatedHour === 'twice')) slots.push(at)
    shown.add(local)
    before = local
  }
  return slots
}

function matches({ minutes, hours, days, months, weekdays }: Fields, local: number): boolean {
  const date = new Date(local * MINUTE_MS)
  const isDay = days !== '*' && days.includes(date.getUTCDate())
  const isWeekday = weekdays !== '*' && weekdays.includes(date.getUTCDay())
  return (
    minutes.includes(date.getUTCMinutes()) &&
    hours.includes(date.getUTCHours()) &&
    (months === '*' || months.includes(date.getUTCMonth() + 1)) &&
    ((days === '*' && weekdays === '*') || isDay || isWeekday)
  )
}
