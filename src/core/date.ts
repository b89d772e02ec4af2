/** Whether a text is a date that exists in the calendar, such as `2026-02-28`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(text)
  // Some dates that do not exist, such as `2026-02-30`, are read as dates of the next month.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** The date `days` days later, or earlier if `days` is negative. */
export function dateAfter(date: string, days = 1): string {
  const moved = new Date(date)
  moved.setUTCDate(moved.getUTCDate() + days)
  return moved.toISOString().slice(0, 10)
}
