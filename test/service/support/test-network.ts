import { FILE_SIGNALS } from '../../../src/contract/enumerations.ts'
import type { Network } from '../../../src/service/network/network.ts'
import { resolveNetwork } from '../../../src/service/network/resolve-network.ts'

const all = [...FILE_SIGNALS]

/** The caller 1001, and partners that each differ in one thing. Every job takes a few milliseconds. */
export const testNetwork: Network = resolveNetwork({
  version: 1,
  participants: [
    { id: 1001, name: 'Caller' },
    { id: 2001, name: 'Says yes', deliveryScopes: ['CABLE'] },
    { id: 2002, name: 'Thinks about it', approval: 'manual', deliveryScopes: ['CABLE'] },
    { id: 2003, name: 'Says no', approval: 'reject' },
    {
      id: 2004,
      name: 'Only uploads of EMAIL, matches of IP',
      features: [
        { type: 'SEGMENT_UPLOAD', signals: ['EMAIL'] },
        { type: 'SEGMENT_MATCH', signals: ['IP'] },
      ],
    },
    {
      id: 2005,
      name: 'Has a scope of its own',
      deliveryScopes: ['CABLE', 'CUSTOM_1'],
      customDeliveryScopesDetail: [{ label: 'Sports', value: 'CUSTOM_1' }],
    },
    { id: 2006, name: 'Takes large segments only', minimumSegmentSize: 1000 },
    { id: 2007, name: 'Works with 2001 alone', partners: [2001], features: [{ type: 'SEGMENT_MATCH', signals: all }] },
  ],
  groups: [
    { groupId: '9001', groupName: 'Cable', features: ['AGGREGATED_MATCH'], groupMembers: [2001, 2005, 2006] },
    { groupId: '9002', groupName: 'Exposure', features: ['EXPOSURE_DATA_SHARE_APPROVAL'], groupMembers: [2001] },
    { groupId: '9003', groupName: 'Of others', groupMembers: [2001], groupAccess: [2001] },
    {
      groupId: '9007199254740993',
      groupName: 'Beyond 2^53',
      features: ['AGGREGATED_MATCH'],
      groupMembers: [2001],
      parameters: { roles: ['PUBLISHER'] },
    },
    { groupId: '9005', groupName: 'Nobody is eligible', features: ['AGGREGATED_MATCH'], groupMembers: [1001, 2006] },
  ],
  integrations: Array.from({ length: 21 }, (_, index) => ({
    id: index + 1,
    participantId: index === 20 ? 2001 : 1001,
    integrationName: `Integration ${index + 1}`,
    purpose: 'ACTIVATION',
    status: 'ENABLED',
  })),
  population: { people: 1000, seed: 1 },
  latencies: { PENDING: '2ms', READY: '1ms', RUNNING: '1ms' },
})
