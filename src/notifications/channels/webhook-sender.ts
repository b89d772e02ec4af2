import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import type { Agent } from 'undici'
import type { Policy } from '../../core/policy.ts'
import { forbiddenAddress, hostProblem } from '../../policy/allowed-host.ts'
import { policyError } from '../../policy/enforce.ts'
import { isForbiddenAddress } from '../../policy/forbidden-address.ts'
import type { Post } from './post-json.ts'

type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Sends requests for documents, to hosts that the policy allows; throws an AudienceError for others. A name is resolved
 * once for each connection, and the connection uses the addresses that were checked. So a name whose answer changes in
 * between (DNS rebinding) cannot lead elsewhere.
 */
export function createWebhookSender(
  policy: Policy,
  lookup: Lookup = systemLookup,
): { readonly post: Post; close(): Promise<void> } {
  let opened: Agent | undefined
  return {
    async post(url, init) {
      const problem = hostProblem(url, policy)
      if (problem) throw policyError(problem)
      // Loaded with the first request: most processes send none.
      const { Agent, fetch } = await import('undici')
      opened ??= new Agent({ allowH2: false, connect: { lookup: checkedLookup(lookup) } })
      return fetch(url, { ...init, dispatcher: opened })
    },
    close: async () => opened?.destroy(),
  }
}

function checkedLookup(lookup: Lookup) {
  return (
    hostname: string,
    options: LookupOptions,
    done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ) => {
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
