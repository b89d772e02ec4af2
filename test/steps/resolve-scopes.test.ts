import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import { resolveScopes } from '../../src/steps/resolve-scopes.ts'
import type { LookupDeps } from '../../src/steps/writes/reconciler.ts'

const PARTNER = {
  deliveryScopes: ['REGIONAL', 'CUSTOM_9'],
  customDeliveryScopesDetail: [
    { label: 'Sports fans', value: 'CUSTOM_2' },
    { label: 'Twice', value: 'CUSTOM_3' },
    { label: 'Twice', value: 'CUSTOM_4' },
  ],
}

/** The resolved scopes of a match with partner 5, and how often the partner is read for that. */
async function resolved(deliveryScopes: string[]) {
  let reads = 0
  const get = async () => {
    reads += 1
    return PARTNER
  }
  const deps = { api: { partners: { get } }, signal: undefined } as unknown as LookupDeps
  const request = { segmentId: 's', partnerId: 5, deliveryScopes }
  const scopes = await resolveScopes(request, deps).catch((error: Error) => error.message)
  return { scopes, reads }
}

test.each([
  ['of the contract are sent as they are, and nobody is asked', ['CABLE'], ['CABLE'], 0],
  ['that the partner shows are sent as they are', ['CUSTOM_9'], ['CUSTOM_9'], 1],
  ['by their label are sent as their value', ['CABLE', 'Sports fans'], ['CABLE', 'CUSTOM_2'], 1],
  [
    'that a label names twice are not sent',
    ['Twice'],
    expect.stringContaining('"Twice" means CUSTOM_3 and CUSTOM_4'),
    1,
  ],
  ['that nobody knows are not sent', ['Sport'], expect.stringContaining('"Sport" is neither a delivery scope'), 1],
])('delivery scopes %s', async (_name, given, scopes, reads) => {
  expect(await resolved(given)).toEqual({ scopes, reads })
})

const REQUEST = { operation: 'groups.get', method: 'GET', path: '/api/groups/9' }
const [FANS, CUP] = [
  { label: 'Sports fans', value: 'CUSTOM_2' },
  { label: 'Cup', value: 'CUSTOM_6' },
]
const partner = (...customDeliveryScopesDetail: object[]) => ({ customDeliveryScopesDetail })
const group = (...groupMembers: number[]) => ({ groupMembers, deliveryScopes: ['CUSTOM_7'] })

/** The resolved scope of a match with a group. A partner that does not exist cannot be read. */
async function resolvedForGroup(scope: string, groups: object | undefined, partners: Record<number, object>) {
  const read = (found: object | undefined) =>
    found ?? Promise.reject(new ApiError(REQUEST, { code: 'not-found', outcome: 'rejected', status: 404 }))
  const api = {
    groups: { get: async () => read(groups) },
    partners: { get: async ({ id }: { id: number }) => read(partners[id]) },
  }
  const request = { segmentId: 's', groupId: '9', deliveryScopes: [scope] }
  return resolveScopes(request, { api } as unknown as LookupDeps).catch(({ message }: Error) => message)
}

const UNKNOWN = expect.stringContaining('is neither a delivery scope nor a label of a custom one of group 9')

test.each<[string, string, object | undefined, Record<number, object>, unknown]>([
  [
    'by the label of any member is sent as its value',
    'Cup',
    group(5, 6),
    { 5: partner(FANS), 6: partner(CUP) },
    ['CUSTOM_6'],
  ],
  ['that the group shows is sent as it is', 'CUSTOM_7', group(5), { 5: partner() }, ['CUSTOM_7']],
  ['that no member knows is not sent', 'Cup', group(5, 6), { 5: partner(FANS), 6: partner() }, UNKNOWN],
  ['is looked for among the members that can be read', 'Cup', group(4, 6), { 6: partner(CUP) }, ['CUSTOM_6']],
  ['is sent as it is if no member can be read', 'Cup', group(4, 5), {}, ['Cup']],
  ['is sent as it is if the group cannot be read', 'Cup', undefined, { 5: partner() }, ['Cup']],
])('for a group, a delivery scope %s', async (_name, scope, groups, partners, sent) => {
  expect(await resolvedForGroup(scope, groups, partners)).toEqual(sent)
})

test.each([
  ['no custom scopes', partner(), 'there are no custom scopes there'],
  [
    'some',
    partner(FANS, CUP, FANS),
    'these custom scopes exist there: Sports fans (CUSTOM_2), Cup (CUSTOM_6); write the value',
  ],
])('who asks for an unknown scope is told of %s', async (_, shows, hint) => {
  const api = { partners: { get: async () => shows } } as unknown as LookupDeps['api']
  const request = { segmentId: 's', partnerId: 5, deliveryScopes: ['Sport'] }
  await expect(resolveScopes(request, { api } as LookupDeps)).rejects.toMatchObject({
    ...{ code: 'unknown-scope', hint },
    message:
      'deliveryScopes: "Sport" is neither a delivery scope nor a label of a custom one of partner 5; nothing was sent',
  })
})

test('a label that names the same value twice is that value, and a value is sent as it is', async () => {
  const twice = { label: 'Fans', value: 'CUSTOM_2' }
  const api = { partners: { get: async () => partner(FANS, twice, { ...twice }) } } as unknown as LookupDeps['api']
  const request = { segmentId: 's', partnerId: 5, deliveryScopes: ['Fans', 'CUSTOM_2', 'CABLE'] }
  expect(await resolveScopes(request, { api } as LookupDeps)).toEqual(['CUSTOM_2', 'CUSTOM_2', 'CABLE'])
})

test('a request without a partner and a group has nobody to ask', async () => {
  expect(await resolveScopes({ segmentId: 's', deliveryScopes: ['Fans'] }, {} as LookupDeps)).toEqual(['Fans'])
})

test('a read that fails otherwise is told', async () => {
  const away = new ApiError(REQUEST, { code: 'service-error', outcome: 'rejected', status: 503 })
  const get = () => Promise.reject(away)
  const api = { groups: { get }, partners: { get } } as unknown as LookupDeps['api']
  for (const whom of [{ partnerId: 5 }, { groupId: '9' }])
    await expect(
      resolveScopes({ segmentId: 's', ...whom, deliveryScopes: ['Fans'] }, { api } as LookupDeps),
    ).rejects.toBe(away)
})
