import type { App } from '../app/app.ts'
import type { ClientDeps } from '../app/open-client.ts'
import type { Settings } from '../config/settings.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { RunRow } from '../state/run-history.ts'
import { openLog } from './open-log.ts'
import { type AppFlags, settingsForRun, settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'
import { writeFitted } from './views/text-width.ts'

/**
 * Opens the runner for the duration of some work. The environment values of `pipeline` are treated as secrets. `run` is
 * an earlier run that is continued or repeated: if it belongs to another service, nothing is opened. Without a token
 * for the service, nothing is opened either, unless `mayLackToken` is set.
 */
export async function withApp<T>(
  flags: AppFlags,
  terminal: Terminal,
  work: (app: App) => Promise<T>,
  { pipeline, run, mayLackToken }: { pipeline?: Pipeline; run?: RunRow } & Pick<ClientDeps, 'mayLackToken'> = {},
): Promise<T> {
  const settings = run ? settingsForRun(run, flags, terminal) : settingsOf(terminal, { profile: flags.profile })
  const deps = { ...(await depsOf(settings, flags, terminal)), mayLackToken }
  const { openApp } = await import('../app/app.ts')
  const own = { takes: 'own', readsHere: true, version: version() } as const
  const app = await openApp({ ...deps, ...own, otherService: flags.otherService ?? false })
  try {
    if (pipeline) app.protect(pipeline)
    return await work(app)
  } finally {
    await app.close()
  }
}

/** The dependencies of a client of the service, for these settings. */
export async function depsOf(settings: Settings, flags: AppFlags, terminal: Terminal): Promise<ClientDeps> {
  const { env, err, secrets, surroundings } = terminal
  const log = await openLog(terminal, flags.logLevel)
  const notice = (text: string) => {
    if (!flags.json) writeFitted(err, text)
  }
  return { settings, env, log, secrets, surroundings, notice }
}
