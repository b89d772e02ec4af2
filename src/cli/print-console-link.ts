import { spawn } from 'node:child_process'
import { consoleFolder, type Settings } from '../config/settings.ts'
import { makeLoginToken, openingPage } from '../console/server/login-links.ts'
import { usageError } from '../core/errors.ts'
import { readDaemon } from '../daemon/lock/daemon-file.ts'
import { settingsOf } from './settings-of.ts'
import { type SignFlags, signedBy } from './signed.ts'
import type { Terminal } from './terminal.ts'

export interface ConsoleLinkFlags extends Pick<SignFlags, 'by'> {
  readonly open: boolean
  readonly json?: true
  /** The folder of a world that `audience test --keep` left. */
  readonly world?: string
}

/** Shows a link to the console of the daemon (`audience start`) that runs for this state. */
export function printConsoleLink(flags: ConsoleLinkFlags, terminal: Terminal): number {
  const settings = settingsOf(terminal)
  showLink(consoleOf(settings.state), settings, flags, terminal)
  return 0
}

/** Makes a one-time URL of a console for the person `by`. `now` is the current time. */
export function loginUrl(
  console: string,
  settings: Pick<Settings, 'shared'>,
  { by, now }: { by: string; now: number },
): string {
  return `${console}login?token=${makeLoginToken(consoleFolder(settings), { by, now })}`
}

/** Prints a one-time URL of a console; on a desktop, a browser opens it. */
export function showLink(
  console: string,
  settings: Pick<Settings, 'shared'>,
  { open, json, ...flags }: ConsoleLinkFlags,
  terminal: Terminal,
): void {
  const { out } = terminal
  const { by } = signedBy(flags, terminal)
  const url = loginUrl(console, settings, { by, now: terminal.surroundings.clock.now() })
  out.write(json ? `${JSON.stringify({ url })}\n` : `${url}\n`)
  const program = open && !json && out.isTTY ? openerOf(process.platform, terminal.env) : undefined
  if (program !== undefined) {
    // The link is always printed, so that a person can open it if no browser does.
    const page = openingPage(consoleFolder(settings), url)
    spawn(program, [page], { stdio: 'ignore', detached: true })
      .on('error', () => undefined)
      .unref()
  }
}

function consoleOf(state: string): string {
  const daemon = readDaemon(state)
  const url = daemon.state === 'running' ? daemon.info?.console : undefined
  if (url !== undefined) return url
  const isRunning = daemon.state === 'running'
  throw usageError(
    'no-console',
    isRunning
      ? 'audience start is running for this state, but it has no console'
      : `there is no console, because audience start is not running for the state in ${state}`,
    isRunning ? 'start it again without --no-console' : 'start it: audience start',
  )
}

/** The program that opens a URL on a desktop; undefined on a server. */
function openerOf(platform: string, { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }: Terminal['env']): string | undefined {
  if (SSH_CONNECTION) return undefined
  if (platform === 'darwin') return 'open'
  return DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined
}
