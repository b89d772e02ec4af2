import { proxySecrets } from '../platform/proxies.ts'
import type { Settings } from './settings.ts'

/** Tools and libraries read these names in both cases. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/**
 * The secrets in the settings and the environment of a command: tokens, keys, and passwords of the database and of proxies.
 * Tokens that are obtained, web hooks and the values that pipelines name become known when they are used.
 */
export function secretsOf(
  { database, secrets = [] }: Pick<Settings, 'database' | 'secrets'>,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const proxies = PROXIES.flatMap((name) => proxySecrets(env[name]?.trim() ?? ''))
  return [...(database?.passwords ?? []), ...secrets, ...proxies]
}
