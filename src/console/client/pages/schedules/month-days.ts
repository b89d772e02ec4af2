import { dayAfter } from '../../time/format-time.ts'

/** The days of a month such as `2026-11` with those around it that fill whole weeks, which begin on Monday. */
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

/** The month `by` months after a month such as `2026-11`; before it, if negative. */
export function monthAfter(month: string, by: number): string {
  const first = new Date(`${month}-01T00:00:00Z`)
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + by, 1)).toISOString().slice(0, 7)
}
