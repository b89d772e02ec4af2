import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exactly, startTestService, type TestService } from './support/start-test-service.ts'

let bench: TestService
beforeAll(async () => {
  bench = await startTestService()
})
afterAll(() => bench.close())

describe('groups (decisions 68, 115 to 118)', () => {
  test('lists what the caller may use under `group`, without page fields', async () => {
    const answer = await bench.send('GET /api/groups')
    expect(Object.keys(answer.body)).toEqual(['group'])
    expect(exactly(answer)).toMatchObject({
      group: [{ groupId: 9001 }, { groupId: 9002 }, { groupId: 9007199254740993n }, { groupId: 9005 }],
    })
  })

  test('filters by feature', async () => {
    const { group } = (await bench.send('GET /api/groups?groupFeature=EXPOSURE_DATA_SHARE_APPROVAL')).body
    expect(group).toMatchObject([{ groupId: 9002 }])
    expect((await bench.send('GET /api/groups?groupFeature=SEGMENT_MATCH')).status).toBe(400)
  })

  test('reads one, with a 64-bit id', async () => {
    const answer = await bench.send('GET /api/groups/9007199254740993')
    expect(exactly(answer)).toEqual({
      groupId: 9007199254740993n,
      groupName: 'Beyond 2^53',
      description: '',
      features: ['AGGREGATED_MATCH'],
      groupMembers: [2001],
      groupAccess: expect.arrayContaining([1001]),
      parameters: { roles: ['PUBLISHER'] },
      deliveryScopes: [],
    })
    expect((await bench.send('GET /api/groups/9001')).body.parameters).toEqual({ roles: null })
  })

  test.each([
    ['GET /api/groups/9003', 404],
    ['GET /api/groups/9007199254740992', 404],
    ['GET /api/groups/x', 400],
  ])('%s → %i (decision 117)', async (target, status) => {
    expect((await bench.send(target)).status).toBe(status)
  })
})

describe('partners (decisions 116 to 120)', () => {
  const ids = async (query: string) =>
    (await bench.send(`GET /api/partners?${query}`)).body.partners.map((partner: { id: number }) => partner.id)

  test.each([
    ['', [2001, 2002, 2003, 2004, 2005, 2006]],
    ['featureType=SEGMENT_SHARE', [2001, 2002, 2003, 2005, 2006]],
    ['featureType=SEGMENT_MATCH&signal=IP', [2001, 2002, 2003, 2004, 2005, 2006]],
    // 2004 has EMAIL, but under another feature.
    ['featureType=SEGMENT_MATCH&signal=EMAIL', [2001, 2002, 2003, 2005, 2006]],
    ['signal=EMAIL', [2001, 2002, 2003, 2004, 2005, 2006]],
    ['signal=AAID', [2001, 2002, 2003, 2005, 2006]],
  ])('%j → %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  test.each([
    ['GET /api/partners?signal=ZIPCODE', 400],
    ['GET /api/partners?featureType=AGGREGATED_MATCH', 400],
    ['GET /api/partners/1001', 404],
    ['GET /api/partners/2007', 404],
    ['GET /api/partners/2001', 200],
    ['GET /api/partners/x', 400],
    ['GET /api/partners/1.5', 400],
  ])('%s → %i (decisions 23, 24 and 117)', async (target, status) => {
    expect((await bench.send(target)).status).toBe(status)
  })

  test('shows its own scopes where there are any, and nothing of how the network sees it', async () => {
    expect(Object.keys((await bench.send('GET /api/partners/2001')).body)).toEqual([
      'id',
      'name',
      'features',
      'deliveryScopes',
    ])
    expect((await bench.send('GET /api/partners/2005')).body.customDeliveryScopesDetail).toEqual([
      { label: 'Sports', value: 'CUSTOM_1' },
    ])
  })
})

describe('integrations (decisions 121, 122, 130 to 132)', () => {
  const enabled = 'status=ENABLED&purpose=ACTIVATION'
  const get = (query: string, as = 1001) => bench.send(`GET /api/integrations/integration?${query}`, { as })

  test.each([
    ['', 400],
    ['status=ENABLED', 400],
    ['status=enabled&purpose=ACTIVATION', 400],
    ['status=PENDING&purpose=ACTIVATION', 404],
    ['status=PENDING&purpose=ACTIVATION&pageSize=9', 400],
    [enabled, 200],
    [`${enabled}&page=50`, 200],
  ])('%s → %i', async (query, status) => {
    expect((await get(query)).status).toBe(status)
  })

  test('pages the caller’s own', async () => {
    const first = (await get(enabled)).body
    expect(first).toMatchObject({ page: 0, pageSize: 10, hasMore: true })
    expect(first.integrations[0]).toEqual({
      id: 1,
      integrationName: 'Integration 1',
      purpose: 'ACTIVATION',
      activationApi: expect.any(String),
      destinationType: expect.any(String),
      minimumSegmentSize: expect.any(String),
      status: 'ENABLED',
      deliveryScopes: [],
      includeNone: false,
      pendingUpdates: false,
      includeTriggerFile: false,
    })
    expect((await get(`${enabled}&page=1`)).body).toMatchObject({ hasMore: false })
    expect((await get(`${enabled}&page=2`)).body).toEqual({ integrations: [], page: 2, pageSize: 10, hasMore: false })
    expect((await get(enabled, 2001)).body.integrations).toHaveLength(1)
  })
})
