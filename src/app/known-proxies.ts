import type { Secrets } from '../core/secrets.ts'
import { type Proxies, proxiesIn, proxySecrets } from '../platform/proxies.ts'

/** The proxies of the environment. From now on, their passwords are secrets. */
export function knownProxies(env: Readonly<Record<string, string | undefined>>, secrets: Secrets): Proxies {
  const proxies = proxiesIn(env)
  for (const text of [proxies.http, proxies.https]) for (const secret of proxySecrets(text)) secrets.add(secret)
  return proxies
}
