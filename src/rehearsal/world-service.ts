import { readFileSync } from 'node:fs'
import { defaultNetwork } from '../service/network/default-network.ts'
import type { Network } from '../service/network/network.ts'
import { parseNetwork } from '../service/network/parse-network.ts'
import { withLatencies } from '../service/network/resolve-network.ts'

/** How fast the service of a world is, or the absolute path of a network.yaml. */
export type WorldService = 'realistic' | 'fast' | { readonly network: string }

/** The participants of the service of a world. Throws InvalidDocumentError if the network.yaml is not valid. */
export function participantsOf(service: WorldService): Network {
  if (typeof service === 'string') return withLatencies(defaultNetwork, service)
  return parseNetwork(readFileSync(service.network, 'utf8'), service.network)
}
