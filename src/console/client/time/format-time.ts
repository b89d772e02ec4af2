const formats = new Map<string, Intl.DateTimeFormat>()

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options)
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })
  formats.set(key, known)
  return known
}

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** The text of a time, such as `22 Nov, 10:12:04`. It includes the year if that is not the year of `nowMs`. */
export function timeText(ms: number, zone: string, nowMs: number): string {
  const options = { day: 'numeric', month: 'short', ...CLOCK, second: '2-digit' } as const
  const isThisYear = yearOf(ms, zone) === yearOf(nowMs, zone)
  return format(zone, isThisYear ? options : { ...options, year: 'numeric' }).format(ms)
}

/** `10:12:04` */
export function clockText(ms: number, zone: string): string {
  return format(zone, { ...CLOCK, second: '2-digit' }).format(ms)
}

/** The full text of a time: `Sunday, 22 November 2026, 10:12:04 GMT+1 (Europe/Berlin)`. */
export function fullTimeText(ms: number, zone: string): string {
  const date = format(zone, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(ms)
  return `${date}, ${clockText(ms, zone)} ${zoneOffsetText(ms, zone)} (${zone})`
}

/** The offset of a zone at a time, such as `GMT+1`. */
export function zoneOffsetText(ms: number, zone: string): string {
  const parts = format(zone, { timeZoneName: 'shortOffset' }).formatToParts(ms)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone
}

const NEAR_CHANGE_MS = 3 * 3_600_000

/** Whether the clocks of a zone change so close to a time that its hour alone may be ambiguous. */
export function isNearChange(ms: number, zone: string): boolean {
  return zoneOffsetText(ms - NEAR_CHANGE_MS, zone) !== zoneOffsetText(ms + NEAR_CHANGE_MS, zone)
}

/** The day of a time in a zone, such as `2026-11-22`. */
export function dayOf(ms: number, zone: string): string {
  const parts = format(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(ms)
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** The day of a time in a zone, for people, such as `22 November 2026`. */
export function dateText(ms: number, zone: string): string {
  return format(zone, { day: 'numeric', month: 'long', year: 'numeric' }).format(ms)
}

/** The text of a day such as `2026-11-22`: `Sun 22 Nov`. */
export function dayText(day: string): string {
  return format('UTC', { weekday: 'short', day: 'numeric', month: 'short' }).format(Date.parse(`${day}T00:00:00Z`))
}

/** The day `by` days after a day such as `2026-11-22`. If `by` is negative, the day is before it. */
function dayAfter(day: string, by = 1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10)
}

/** The last few days up to the day of `ms`, oldest first. */
export function lastDays(ms: number, zone: string, count: number): string[] {
  const today = dayOf(ms, zone)
  return Array.from({ length: count }, (_, index) => dayAfter(today, index + 1 - count))
}

/** The time from the beginning of one day to the end of another in a zone, in the form that the API expects. */
export function periodOf(first: string, last: string, zone: string): { readonly from: string; readonly to: string } {
  return {
    from: new Date(startOfDay(first, zone)).toISOString(),
    to: new Date(startOfDay(dayAfter(last), zone)).toISOString(),
  }
}

/** The first moment of a day in a zone, in milliseconds. Some days do not begin at midnight. */
export function startOfDay(day: string, zone: string): number {
  const noon = Date.parse(`${day}T12:00:00Z`)
  let low = noon - 36 * 3_600_000
  let high = noon + 36 * 3_600_000
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (dayOf(middle, zone) < day) low = middle
    else high = middle
  }
  return high
}

function yearOf(ms: number, zone: string): string {
  return dayOf(ms, zone).slice(0, 4)
}

/** The days of a month such as `2026-11`, and the days around it that fill whole weeks. Weeks begin on Monday. */
export function monthDays(month: string): { readonly day: string; readonly isInside: boolean }[] {
  const first = new Date(`${month}-01T00:00:00Z`)
  const before = (first.getUTCDay() + 6) % 7
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  const cells = Math.ceil((before + length) / 7) * 7
  return Array.from({ length: cells }, (_, cell) => {
    const day = dayAfter(`${month}-01`, cell - before)
    return { day, isInside: day.startsWith(month) }
  })
}

/** The month `by` months after a month such as `2026-11`. If `by` is negative, the month is before it. */
export function monthAfter(month: string, by: number): string {
  const first = new Date(`${month}-01T00:00:00Z`)
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + by, 1)).toISOString().slice(0, 7)
}
