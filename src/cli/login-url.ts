import { consoleFolder, type Settings } from '../config/settings.ts'
import { makeLoginToken } from '../console/server/login-links.ts'

/** A one-time URL of a console, for the person `by`. It is made at `now`. */
export function loginUrl(
  console: string,
  settings: Pick<Settings, 'shared'>,
  { by, now }: { readonly by: string; readonly now: number },
): string {
  return `${console}login?token=${makeLoginToken(consoleFolder(settings), { by, now })}`
}
