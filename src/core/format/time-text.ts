/** A time for people who may be anywhere: `2026-11-22 07:00:04 UTC`; `ms` since 1970. */
export function utcTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
