import { flushCompileCache } from 'node:module'
import { startDaemon } from '../app/start-daemon.ts'
import { type Settings, stateName } from '../config/settings.ts'
import type { Clock } from '../core/clock.ts'
import { formatTimeLimit } from '../core/format/duration-text.ts'
import { count } from '../core/format/figures.ts'
import { describeService, isSynthetic, syntheticNote } from '../core/service-ref.ts'
import { openLog } from './open-log.ts'
import type { AppFlags } from './settings-of.ts'
import { settingsOf } from './settings-of.ts'
import { signedBy } from './signed.ts'
import { onFirstInterrupt, type Terminal } from './terminal.ts'
import { version } from './version.ts'

export interface StartFlags extends AppFlags {
  readonly host: string
  readonly port: number
  readonly consolePort?: number
  readonly console: boolean
}

/** Runs the daemon until SIGINT or SIGTERM. A second signal ends the process immediately. */
export async function startDaemonCommand(flags: StartFlags, terminal: Terminal): Promise<number> {
  const { env, out, secrets, surroundings } = terminal
  const { host, port } = flags
  const settings = withConsolePort(settingsOf(terminal, { profile: flags.profile }), flags)
  const log = await openLog(terminal, flags.logLevel)
  terminal.whenUnread('goOn')
  const interrupted = new Promise<void>((resolve) => onFirstInterrupt(terminal, resolve))
  const notice = (text: string) => log.info(text)
  const own = { host, port, version: version(), noConsole: flags.console ? undefined : (true as const) }
  const daemon = await startDaemon({ settings, env, log, secrets, surroundings, notice, ...own })
  const { url, pipelines, here, console } = daemon
  const state = stateName(settings)
  out.write(
    flags.json
      ? `${JSON.stringify({ event: 'daemon.ready', url, pid: process.pid, state, pipelines, console, ...here, synthetic: isSynthetic(here) })}\n`
      : `audience start is ready at ${describeService(here)}${syntheticNote(here)}: ${count(pipelines, 'pipeline')} of ${settings.pipelines}, ${url}\n`,
  )
  if (console !== undefined && out.isTTY && !flags.json) {
    const { loginUrl } = await import('./print-console-link.ts')
    const { by } = signedBy({}, terminal)
    out.write(
      `the web console (this link works only once, and expires after ten minutes): ${loginUrl(console, settings, { by, now: surroundings.clock.now() })}\n`,
    )
  }
  // A process that is killed does not write its compiled code. Without that code, the next start takes a fifth more
  // processor time.
  flushCompileCache()
  const drained = daemon.drained.then(() =>
    log.info('it was told to drain, and its runs have ended or are with other workers'),
  )
  const broken = await Promise.race([interrupted, daemon.broken, drained])
  if (broken) log.error({ error: broken.message }, 'stopping, because the state cannot be relied on')
  else log.info('stopping')
  await withinGrace(() => daemon.stop(), {
    clock: surroundings.clock,
    graceMs: STOP_MS,
    giveUp: () => {
      log.error(
        `ending immediately: something has not answered for ${formatTimeLimit(STOP_MS)}, such as a share whose server is gone`,
      )
      // A thread that waits for a share whose server is gone blocks an orderly exit forever. Nothing is lost: the next
      // start finds everything, as after a crash.
      process.kill(process.pid, 'SIGKILL')
    },
  })
  log.info('stopped')
  if (broken) throw broken
  return 0
}

function withConsolePort(settings: Settings, { consolePort: port }: StartFlags): Settings {
  return port === undefined ? settings : { ...settings, console: { ...settings.console, port } }
}

/** Less than the time that a service manager waits before it kills the process. */
const STOP_MS = 45_000

/** Stops something, but gives up after `graceMs`. */
export async function withinGrace(
  stop: () => Promise<void>,
  { clock, graceMs, giveUp }: { clock: Pick<Clock, 'sleep'>; graceMs: number; giveUp: () => void },
): Promise<void> {
  const stopped = new AbortController()
  clock.sleep(graceMs, stopped.signal).then(giveUp, () => undefined)
  try {
    await stop()
  } finally {
    stopped.abort()
  }
}
