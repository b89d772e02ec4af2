import { FILE_SIGNALS, INTEGRATION_PURPOSES } from '../../contract/enumerations.ts'
import type { Network, NetworkIntegration } from './network.ts'
import type { NetworkFile } from './network-file.ts'
import { resolveNetwork } from './resolve-network.ts'

type ParticipantEntry = NetworkFile['participants'][number]
type Feature = NonNullable<ParticipantEntry['features']>[number]

/**
 * The default network of a service. It has the caller 1001, media owners that differ in everything that matters to a
 * pipeline, three groups, and integrations that fill more than two pages.
 */
export const defaultNetwork: Network = resolveNetwork({
  version: 1,
  participants: participants(),
  groups: [
    {
      groupId: '9001',
      groupName: 'Metro cable group',
      description: 'Cable operators of the metropolitan areas, matched as one.',
      features: ['AGGREGATED_MATCH'],
      groupMembers: [2001, 2002, 2003],
      deliveryScopes: ['CABLE', 'HIGH_SPEED_DATA'],
    },
    {
      groupId: '9002',
      groupName: 'Exposure circle',
      description: 'Shares exposure data; no aggregated matches.',
      features: ['EXPOSURE_DATA_SHARE_APPROVAL'],
      groupMembers: [2002, 2004],
      parameters: { roles: ['PUBLISHER'] },
      deliveryScopes: ['HIGH_SPEED_INTERNET'],
    },
    {
      groupId: '9007199254740993',
      groupName: 'Addressable alliance',
      description: 'Its id is too large for a double to hold exactly.',
      features: ['AGGREGATED_MATCH', 'EXPOSURE_DATA_SHARE_APPROVAL'],
      groupMembers: [2001, 2003, 2004],
      deliveryScopes: ['LINEAR_ADDRESSABLE', 'VOD_ACTIVE', 'VOD_CAPABLE'],
    },
  ],
  integrations: integrations(),
  population: { people: 100_000, seed: 1 },
  latencies: 'fast',
})

function offering(...types: Feature['type'][]): Feature[] {
  return types.map((type) => ({ type, signals: [...FILE_SIGNALS] }))
}

function participants(): ParticipantEntry[] {
  return [
    {
      id: 1001,
      name: 'Amber Motors media desk',
      deliveryScopes: ['HIGH_SPEED_INTERNET'],
      universeCoverage: 0.5,
      graphCoverage: 1,
    },
    {
      id: 2001,
      name: 'Metro Cable',
      deliveryScopes: ['CABLE', 'HIGH_SPEED_DATA', 'VOD_ACTIVE', 'LINEAR_ADDRESSABLE'],
      universeCoverage: 0.45,
    },
    {
      id: 2002,
      name: 'Harbor Broadband',
      deliveryScopes: ['CABLE', 'HIGH_SPEED_DATA', 'HIGH_SPEED_INTERNET'],
      universeCoverage: 0.4,
    },
    {
      id: 2003,
      name: 'Lakeside Television',
      deliveryScopes: ['CABLE', 'VOD_ACTIVE', 'VOD_CAPABLE', 'CUSTOM_1'],
      customDeliveryScopesDetail: [{ label: 'Sports package', value: 'CUSTOM_1' }],
      universeCoverage: 0.35,
    },
    {
      id: 2004,
      name: 'Skyline Satellite',
      deliveryScopes: ['LINEAR_ADDRESSABLE', 'VOD_CAPABLE', 'HIGH_SPEED_INTERNET'],
      minimumSegmentSize: 100,
      universeCoverage: 0.5,
    },
    {
      id: 2005,
      name: 'Prairie Networks',
      deliveryScopes: ['CABLE', 'VOD_ACTIVE'],
      approval: 'manual',
      universeCoverage: 0.3,
    },
    {
      id: 2006,
      name: 'Summit Streaming',
      deliveryScopes: ['VOD_ACTIVE', 'HIGH_SPEED_DATA'],
      approval: 'reject',
      universeCoverage: 0.6,
    },
    {
      id: 2007,
      name: 'Valley Out-of-Home',
      features: offering('SEGMENT_UPLOAD', 'SEGMENT_MATCH'),
      deliveryScopes: ['HIGH_SPEED_DATA'],
      universeCoverage: 0.25,
    },
    {
      id: 2008,
      name: 'Beacon Identity',
      features: [...offering('SEGMENT_SHARE'), { type: 'SEGMENT_UPLOAD', signals: ['EMAIL', 'IP', 'ADDRESS'] }],
      universeCoverage: 0.9,
      graphCoverage: 0.95,
    },
  ]
}

/**
 * There are 28 enabled integrations for activation, and one or two for each other purpose and status. There are none
 * for GENERIC_DATA_EXPORT.
 */
function integrations(): Pick<NetworkIntegration, 'id' | 'participantId' | 'integrationName' | 'purpose' | 'status'>[] {
  const kinds = INTEGRATION_PURPOSES.filter((purpose) => purpose !== 'GENERIC_DATA_EXPORT').flatMap((purpose) => [
    { purpose, status: 'ENABLED' as const, count: purpose === 'ACTIVATION' ? 28 : 2 },
    { purpose, status: 'PENDING' as const, count: 1 },
  ])
  return kinds
    .flatMap(({ count, ...kind }) => Array.from({ length: count }, (_, index) => ({ ...kind, number: index + 1 })))
    .map(({ purpose, status, number }, index) => ({
      id: 3001 + index,
      participantId: 1001,
      integrationName: `${purpose.toLowerCase().replaceAll('_', ' ')} ${status.toLowerCase()} ${number}`,
      purpose,
      status,
      activationApi: 'PUSH',
      destinationType: number % 2 === 0 ? 'AD_SERVER' : 'OBJECT_STORE',
      minimumSegmentSize: String(number * 100),
      deliveryScopes: ['CABLE', 'HIGH_SPEED_DATA'],
      includeNone: number % 3 === 0,
      pendingUpdates: status === 'PENDING',
    }))
}
