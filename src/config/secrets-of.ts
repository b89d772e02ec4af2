import type { Settings } from './settings.ts'

/** Tools and libraries read these names in both forms. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/**
 * What is secret in the settings and the environment of a command: passwords of the database and of proxies. Tokens, web
 * hooks and the values that pipelines name become known when they are used.
 */
export function secretsOf(
  { database }: Pick<Settings, 'database'>,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const proxies = PROXIES.flatMap((name) => credentialsIn(env[name] ?? ''))
  return [...(database?.passwords ?? []), ...proxies]
}

/** The password in a URL, as it is written and as it is sent. */
function credentialsIn(text: string): readonly string[] {
  const [, written] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/@:]*:([^/@]+)@/i.exec(text) ?? []
  if (written === undefined) return []
  try {
    return [written, decodeURIComponent(written)]
  } catch {
    return [written]
  }
}
