import { expect, test } from 'vitest'
import { FILE_SIGNALS } from '../../../src/contract/enumerations.ts'
import { defaultNetwork } from '../../../src/service/network/default-network.ts'

const { participants, groups, integrations } = defaultNetwork
const participant = (id: number) => participants.find((candidate) => candidate.id === id)!

test('it has a partner for everything that a pipeline can run into', () => {
  const lacks = (type: string) =>
    participants.filter(({ features }) => !features.some((feature) => feature.type === type))
  expect(new Set(participants.flatMap(({ deliveryScopes }) => deliveryScopes))).toEqual(
    new Set([
      'CABLE',
      'HIGH_SPEED_DATA',
      'HIGH_SPEED_INTERNET',
      'VOD_ACTIVE',
      'VOD_CAPABLE',
      'LINEAR_ADDRESSABLE',
      'CUSTOM_1',
    ]),
  )
  expect(new Set(participants.map(({ approval }) => approval))).toEqual(new Set(['auto', 'manual', 'reject']))
  expect(lacks('SEGMENT_SHARE')).toHaveLength(1)
  expect(lacks('SEGMENT_MATCH')).toHaveLength(1)
})

test('the caller’s own graph knows everybody by every signal', () => {
  expect(participant(1001)).toMatchObject({ graphCoverage: 1 })
  expect(participant(1001).features.find(({ type }) => type === 'SEGMENT_UPLOAD')?.signals).toEqual([...FILE_SIGNALS])
})

test('group 9001 matches as one over members that all reach CABLE', () => {
  const group = groups.find(({ groupId }) => groupId === '9001')!
  expect(group).toMatchObject({ groupName: 'Metro cable group', features: ['AGGREGATED_MATCH'] })
  expect(group.groupMembers.every((id) => participant(id).deliveryScopes.includes('CABLE'))).toBe(true)
})

test('a group has an id beyond 2^53, and one cannot be matched', () => {
  expect(groups.map(({ groupId }) => groupId)).toContain('9007199254740993')
  expect(groups.some(({ features }) => !features.includes('AGGREGATED_MATCH'))).toBe(true)
})

test('enough integrations of one kind for three pages, and none of another', () => {
  const count = (purpose: string, status: string) =>
    integrations.filter((integration) => integration.purpose === purpose && integration.status === status).length
  expect(count('ACTIVATION', 'ENABLED')).toBe(28)
  expect(count('EXPORT', 'PENDING')).toBe(1)
  expect(count('GENERIC_DATA_EXPORT', 'ENABLED')).toBe(0)
})
