import { expect, test } from 'vitest'
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

/** What becomes of the scopes of a match with partner 5, and how often the partner is read for that. */
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
