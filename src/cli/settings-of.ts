import { serviceOf } from '../config/choose-service.ts'
import { loadSettings } from '../config/load-settings.ts'
import type { SettingsFlags } from '../config/resolve-settings.ts'
import { secretsAround, secretsOf } from '../config/secrets-of.ts'
import type { Settings } from '../config/settings.ts'
import { requireSameService } from '../core/service-ref.ts'
import type { RunRow } from '../state/run-history.ts'
import type { Terminal } from './terminal.ts'

/** The settings of a command, from its flags and environment. Their secrets are removed from all further output. */
export function settingsOf(
  { env, cwd, secrets }: Terminal,
  { profile, runProfile }: { readonly [Flag in keyof SettingsFlags]: SettingsFlags[Flag] | undefined } = {},
): Settings {
  const settings = loadSettings({
    env,
    cwd,
    flags: { profile, runProfile },
  })
  for (const secret of secretsOf(settings, env)) secrets.add(secret)
  return settings
}

/** Removes the secrets of audience.yaml and the environment from all output, before the command does anything. */
export function learnSecrets({ env, cwd, secrets }: Pick<Terminal, 'env' | 'cwd' | 'secrets'>): void {
  for (const secret of secretsAround(env, cwd)) secrets.add(secret)
}

export interface RunServiceFlags {
  readonly profile?: string
  readonly otherService?: true
}

export interface AppFlags extends RunServiceFlags {
  readonly logLevel: string
  readonly json?: true
}

/**
 * The settings of a command that continues or repeats a run: with the profile of the run, unless a flag names one.
 * Throws `other-service` if they name a service other than the run's.
 */
export function settingsForRun(run: RunRow, { profile, otherService }: RunServiceFlags, terminal: Terminal): Settings {
  const settings = settingsOf(terminal, { profile, runProfile: run.profile })
  const here = serviceOf(settings)
  if (!otherService) requireSameService(run, here)
  return settings
}
