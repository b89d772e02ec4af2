import { spawn } from 'node:child_process'
import { consoleFolder } from '../config/settings.ts'
import { openingPage } from '../console/server/login-links.ts'
import { AudienceError } from '../core/errors.ts'
import { readDaemon } from '../daemon/lock/daemon-file.ts'
import { loginUrl } from './login-url.ts'
import { settingsOf } from './settings-of.ts'
import { type SignFlags, signedBy } from './signed.ts'
import type { Terminal } from './terminal.ts'

export interface OpenConsoleFlags extends Pick<SignFlags, 'by'> {
  readonly open: boolean
  readonly json?: true
}

/** Prints a one-time URL of the console; on a desktop, a browser opens it. */
export function openConsole({ open, json, ...flags }: OpenConsoleFlags, terminal: Terminal): number {
  const { out } = terminal
  const settings = settingsOf(terminal)
  const url = loginUrl(consoleOf(settings.state), settings, {
    by: signedBy(flags, terminal).by,
    now: terminal.surroundings.clock.now(),
  })
  out.write(json ? `${JSON.stringify({ url })}\n` : `${url}\n`)
  const program = open && !json && out.isTTY ? openerOf(process.platform, terminal.env) : undefined
  if (program !== undefined) {
    // The link is printed in any case: where no browser opens, a person can.
    const page = openingPage(consoleFolder(settings), url)
    spawn(program, [page], { stdio: 'ignore', detached: true })
      .on('error', () => undefined)
      .unref()
  }
  return 0
}

function consoleOf(state: string): string {
  const daemon = readDaemon(state)
  const url = daemon.state === 'running' ? daemon.info?.console : undefined
  if (url !== undefined) return url
  const isRunning = daemon.state === 'running'
  throw new AudienceError({
    code: 'no-console',
    kind: 'usage',
    message: isRunning
      ? 'the audience start of this state has no console'
      : `audience start, which has the console, does not run for the state in ${state}`,
    hint: isRunning ? 'start it again without --no-console' : 'start it: audience start',
  })
}

/** What opens a URL on a desktop; undefined on a server. */
function openerOf(platform: string, { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }: Terminal['env']): string | undefined {
  if (SSH_CONNECTION) return undefined
  if (platform === 'darwin') return 'open'
  return DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined
}
