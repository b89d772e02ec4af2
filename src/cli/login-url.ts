import { consoleFolder, type Settings } from '../config/settings.ts'
import { makeLoginToken } from '../console/server/login-links.ts'
import { systemClock } from '../platform/clock.ts'

/** A one-time URL of a console, for the person `by`. */
export function loginUrl(console: string, settings: Pick<Settings, 'shared'>, by: string): string {
  return `${console}login?token=${makeLoginToken(consoleFolder(settings), { by, now: systemClock.now() })}`
}
