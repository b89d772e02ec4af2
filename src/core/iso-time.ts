/** RFC 3339 in UTC, for programs: `2026-11-22T07:00:00.000Z`; `ms` since 1970. Undefined stays undefined. */
export function isoTime(ms: number): string
export function isoTime(ms: number | undefined): string | undefined
export function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
