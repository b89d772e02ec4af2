/** A time for people who may be anywhere: `2026-11-22 07:00 UTC`; `ms` since 1970. */
export function utcMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
