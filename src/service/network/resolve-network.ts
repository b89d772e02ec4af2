import { FILE_SIGNALS, PARTNER_FEATURES } from '../../contract/enumerations.ts'
import { parseDuration } from '../../core/duration.ts'
import type { Latencies, Network, NetworkGroup, NetworkIntegration, Participant } from './network.ts'
import type { NetworkFile } from './network-file.ts'

/** Fills in the defaults of a valid network file. */
export function resolveNetwork({
  participants,
  groups = [],
  integrations = [],
  population,
  latencies,
}: NetworkFile): Network {
  const everybody = participants.map(({ id }) => id)
  return {
    participants: participants.map((participant) => ({ ...PARTICIPANT_DEFAULTS, ...participant })),
    groups: groups.map((group) => ({ ...GROUP_DEFAULTS, groupAccess: everybody, ...group })),
    integrations: integrations.map((integration) => ({ ...INTEGRATION_DEFAULTS, ...integration })),
    population: { people: 100_000, seed: 1, ...population },
    latencies: latenciesOf(latencies),
  }
}

const PARTICIPANT_DEFAULTS = {
  features: PARTNER_FEATURES.map((type) => ({ type, signals: [...FILE_SIGNALS] })),
  deliveryScopes: [],
  approval: 'auto',
  minimumSegmentSize: 0,
  universeCoverage: 0.6,
  graphCoverage: 0.8,
} satisfies Partial<Participant>

const GROUP_DEFAULTS = {
  description: '',
  features: [],
  parameters: { roles: null },
  deliveryScopes: [],
} satisfies Partial<NetworkGroup>

const INTEGRATION_DEFAULTS = {
  activationApi: '',
  destinationType: '',
  minimumSegmentSize: '0',
  deliveryScopes: [],
  includeNone: false,
  pendingUpdates: false,
  includeTriggerFile: false,
} satisfies Partial<NetworkIntegration>

const LATENCIES = {
  fast: { PENDING: 60, READY: 40, RUNNING: 150 },
  realistic: { PENDING: 20_000, READY: 10_000, RUNNING: 180_000 },
} satisfies Record<string, Latencies>

function latenciesOf(latencies: NetworkFile['latencies'] = 'fast'): Latencies {
  if (typeof latencies === 'string') return LATENCIES[latencies]
  const msOf = (status: keyof Latencies) => parseDuration(latencies[status] ?? '') ?? LATENCIES.fast[status]
  return { PENDING: msOf('PENDING'), READY: msOf('READY'), RUNNING: msOf('RUNNING') }
}

/** The same network with other latencies. */
export function withLatencies(network: Network, latencies: 'fast' | 'realistic'): Network {
  return { ...network, latencies: latenciesOf(latencies) }
}
