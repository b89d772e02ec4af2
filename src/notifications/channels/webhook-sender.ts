import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type Agent, createAgent } from '../../adapter/agent.ts'
import type { SteadyClock } from '../../core/clock.ts'
import type { Policy } from '../../core/policy.ts'
import { type Proxies, proxyFor } from '../../platform/proxies.ts'
import { forbiddenAddress, hostProblem } from '../../policy/allowed-host.ts'
import { policyError } from '../../policy/enforce.ts'
import { isForbiddenAddress } from '../../policy/forbidden-address.ts'
import type { Post } from './post-json.ts'

type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

type SenderClock = Pick<SteadyClock, 'timer'>

interface Sender {
  readonly post: Post
  close(): Promise<void>
}

const TIMEOUT_MS = 10_000
/** Behind a proxy, this machine may be unable to resolve the names of other networks. */
const LOOKUP_MS = 2_000

/**
 * Sends requests for documents to hosts that the policy allows; throws an AudienceError for others. A name is resolved
 * once for each connection, and the connection uses the addresses that were checked. So a name whose addresses change
 * in between (DNS rebinding) cannot lead elsewhere. A proxy resolves names itself, so the policy then judges the host
 * and the addresses that this machine finds for it.
 */
export function createWebhookSender(
  policy: Policy,
  { clock, lookup = systemLookup, proxies }: { clock: SenderClock; lookup?: Lookup; proxies?: Proxies },
): Sender {
  const send = openSender({ clock, proxies, lookup: checkedLookup(lookup) })
  return {
    async post(url, init) {
      const problem = hostProblem(url, policy)
      if (problem) throw policyError(problem)
      if (proxies && proxyFor(url, proxies)) await refuseForbidden(url.hostname, { clock, lookup })
      return send.post(url, init)
    },
    close: () => send.close(),
  }
}

/** Sends requests anywhere, through the proxies of the environment. */
export function openSender({
  clock,
  proxies,
  lookup,
}: {
  clock: SenderClock
  proxies: Proxies | undefined
  lookup?: LookupFunction
}): Sender {
  const agents = new Map<string, Agent>()
  return {
    async post(url, init) {
      const proxy = proxies && proxyFor(url, proxies)
      const key = proxy?.url.href ?? ''
      const timeouts = { connectTimeoutMs: TIMEOUT_MS, headersTimeoutMs: TIMEOUT_MS, bodyTimeoutMs: TIMEOUT_MS }
      const dispatcher = agents.get(key) ?? createAgent({ ...timeouts, clock, proxy, lookup })
      agents.set(key, dispatcher)
      // Loaded with the first request, because most processes send none.
      const { fetch } = await import('undici')
      return fetch(url, { ...init, dispatcher })
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}

function checkedLookup(lookup: Lookup): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || !first) return done(error ?? new Error(`${hostname} has no address`), [])
      if (addresses.some(({ address }) => isForbiddenAddress(address))) {
        return done(policyError(forbiddenAddress(hostname)), [])
      }
      return options.all ? done(null, addresses) : done(null, first.address, first.family)
    })
  }
}

/** Checks the host before the proxy is used. Names that this machine cannot resolve are left to the proxy. */
function refuseForbidden(hostname: string, { clock, lookup }: { clock: SenderClock; lookup: Lookup }): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.timer(LOOKUP_MS, resolve)
    lookup(hostname, { all: true }, (_error, addresses) => {
      timer.cancel()
      const isForbidden = addresses?.some(({ address }) => isForbiddenAddress(address))
      if (isForbidden) reject(policyError(forbiddenAddress(hostname)))
      else resolve()
    })
  })
}
