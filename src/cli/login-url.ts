import { makeLoginToken } from '../console/server/login-links.ts'
import { systemClock } from '../platform/clock.ts'

/** A one-time URL of a console, for the person `by`. */
export function loginUrl(console: string, stateFolder: string, by: string): string {
  return `${console}login?token=${makeLoginToken(stateFolder, { by, now: systemClock.now() })}`
}
