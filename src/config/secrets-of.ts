import { tried } from '../core/tried.ts'
import { proxySecrets } from '../platform/proxies.ts'
import { passwordIn } from './database-url.ts'
import { configOf } from './load-settings.ts'
import { secretsIn } from './policy-of.ts'
import { type ConfigFile, readConfig } from './read-config.ts'
import type { Settings } from './settings.ts'

type Env = Readonly<Record<string, string | undefined>>

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/**
 * The secrets in the settings and the environment of a command: tokens, keys, and passwords of the database and of
 * proxies. Tokens that are obtained, web hooks and the values that pipelines name become known when they are used.
 */
export function secretsOf(
  { database, secrets = [] }: Pick<Settings, 'database' | 'secrets'>,
  env: Env,
): readonly string[] {
  const proxies = PROXIES.flatMap((name) => proxySecrets(env[name]?.trim() ?? ''))
  return [...(database?.passwords ?? []), ...secrets, ...proxies]
}

/**
 * The same secrets for a command that has no settings yet, or needs none. It never throws, because the command that
 * needs the configuration says what is wrong with it.
 */
export function secretsAround(env: Env, cwd: string): readonly string[] {
  const found = tried(() => readConfig(env, cwd))
  const config = tried(() => configOf(found).config)
  const urls = [env.AUDIENCE_STATE, config?.stateEnv === undefined ? undefined : env[config.stateEnv]]
  const passwords = urls.flatMap((url) => passwordIn(url ?? '') ?? [])
  const secrets = [...secretsIn(config ?? {}, env), ...passwords, ...(config ? [] : writtenTokens(found))]
  return secretsOf({ secrets }, env)
}

/** The tokens in a configuration that cannot be used. Errors about such a configuration show its lines. */
function writtenTokens(found: ConfigFile | undefined): readonly string[] {
  const written =
    found?.text.matchAll(/\btoken["']?[ \t]*:[ \t]*(?:"([^"\n]+)|'([^'\n]+)|([^\s"',{}#][^\s,{}]*))/g) ?? []
  return [...written].flatMap(([, ...values]) => values.find((value) => value !== undefined) ?? [])
}
