import type { SteadyClock } from '../core/clock.ts'
import type { Secrets } from '../core/secrets.ts'
import type { Post } from '../notifications/channels/post-json.ts'
import { openSender } from '../notifications/channels/webhook-sender.ts'
import { proxyFor } from '../platform/proxies.ts'
import { knownProxies } from './known-proxies.ts'

/** The dependencies for posting to an address of audience.yaml. */
export interface PostDeps {
  env: Readonly<Record<string, string | undefined>>
  secrets: Secrets
  clock: SteadyClock
}

/**
 * Posts to an address of audience.yaml. If its proxy cannot be used, throws now, not when the first message is sent.
 */
export function postTo(url: URL, { env, secrets, clock }: PostDeps): Post {
  const proxies = knownProxies(env, secrets)
  proxyFor(url, proxies)
  return openSender({ clock, proxies }).post
}
