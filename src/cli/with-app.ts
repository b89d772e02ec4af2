import type { App } from '../app.ts'
import { loadSettings } from '../config/load-settings.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { createSecrets } from '../core/secrets.ts'
import { openLog } from './open-log.ts'
import type { Terminal } from './terminal.ts'

export interface AppFlags {
  readonly profile?: string
  readonly logLevel: string
  readonly json?: true
}

/** Opens the runner for the time of some work. `pipeline` is one whose environment values are known as secrets then. */
export async function withApp<T>(
  flags: AppFlags,
  terminal: Terminal,
  work: (app: App) => Promise<T>,
  pipeline?: Pipeline,
): Promise<T> {
  const { env, cwd, err } = terminal
  const settings = loadSettings({ env, cwd, flags: flags.profile === undefined ? {} : { profile: flags.profile } })
  const secrets = createSecrets()
  const log = await openLog(terminal, flags.logLevel, secrets)
  const { openApp } = await import('../app.ts')
  const notice = (text: string) => {
    if (!flags.json) err.write(`${text}\n`)
  }
  const app = await openApp({ settings, env, log, secrets, notice })
  try {
    if (pipeline) app.protect(pipeline)
    return await work(app)
  } finally {
    await app.close()
  }
}
