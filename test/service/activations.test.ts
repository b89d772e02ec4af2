import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from './support/start-test-service.ts'

let bench: TestService
let segmentId: string
let matchJobId: string
beforeAll(async () => {
  bench = await startTestService()
  segmentId = await bench.segment('people', 'a 2001 CABLE', { spi: true })
  matchJobId = (await match(2001)).id
})
afterAll(() => bench.close())

const match = (partnerId: number, until: string[] = [], scope = 'CABLE') =>
  bench.job('POST /api/segments/match', { segmentId, partnerId, deliveryScopes: [scope] }, { until })
const body = (more: Record<string, unknown> = {}) => ({
  activationName: 'Spring',
  segmentId,
  matchJobId,
  refreshRate: 0,
  actionType: 'REQUEST',
  ...more,
})

describe('what a create needs (decisions 29, 30, 99, 101)', () => {
  const start = '2026-03-01T00:00:00+01:00'
  const cases: [
    name: string,
    more: () => Record<string, unknown> | Promise<Record<string, unknown>>,
    status: number,
  ][] = [
    ['an unknown match job', () => ({ matchJobId: '4711' }), 404],
    ['a job id that is no number', () => ({ matchJobId: 'abc' }), 404],
    ['a match job id as a number', () => ({ matchJobId: Number(matchJobId) }), 400],
    [
      'a job of a segment',
      async () => ({ matchJobId: (await bench.job(`PUT /api/segments/${segmentId}/refresh`, undefined)).id }),
      404,
    ],
    ['another segment', async () => ({ segmentId: await bench.segment('other', 'a') }), 400],
    ['an unfinished match', async () => ({ matchJobId: (await match(2002, ['PENDING_APPROVAL'])).id }), 400],
    ['a rejected match', async () => ({ matchJobId: (await match(2003)).id }), 400],
    ['the end before the start', () => ({ campaignStartDate: start, campaignEndDate: '2026-02-28T22:59:59Z' }), 400],
    ['the end at the start', () => ({ campaignStartDate: start, campaignEndDate: '2026-02-28T23:00:00Z' }), 200],
    ['200 characters of agency', () => ({ agency: 'x'.repeat(200) }), 200],
    ['201 characters of agency', () => ({ agency: 'x'.repeat(201) }), 400],
    ['a refresh rate of 31', () => ({ refreshRate: 31 }), 400],
    ['no refresh rate', () => ({ refreshRate: undefined }), 400],
  ]
  test.each(cases)('%s → %#', async (_name, more, status) => {
    expect((await bench.send('POST /api/activations', { body: body(await more()) })).status).toBe(status)
  })

  test('somebody else’s match → 404', async () => {
    expect((await bench.send('POST /api/activations', { body: body(), as: 2001 })).status).toBe(404)
  })

  test('takes the job that created the match and later ones (decision 72)', async () => {
    const refreshed = await bench.job(`POST /api/segments/match/refresh/${matchJobId}`, undefined)
    for (const id of [matchJobId, refreshed.id]) {
      expect((await bench.job('POST /api/activations', body({ matchJobId: id }))).status).toBe('SUCCESS')
    }
  })
})

describe('an activation (decisions 94 to 100, 104)', () => {
  test('shows what was asked for to both sides, and is deleted by the requester alone', async () => {
    const job = await bench.job('POST /api/activations', body({ campaignName: 'C', agency: 'A', brand: 'B' }))
    expect(job).toEqual({
      id: expect.any(String),
      status: 'SUCCESS',
      segmentId,
      matchId: matchJobId,
      activationId: expect.stringMatching(/^\d+$/),
    })
    const target = `/api/activations/${job.activationId}`
    const shown = {
      myRole: 'Requester',
      ActivationId: job.activationId,
      ActivationName: 'Spring',
      Status: 'Activated',
      spi: true,
      deliveryScopes: ['CABLE'],
      campaign: 'C',
      agency: 'A',
      brand: 'B',
    }
    expect((await bench.send(`GET ${target}`)).body).toEqual(shown)
    expect((await bench.send(`GET ${target}`, { as: 2001 })).body).toEqual({ ...shown, myRole: 'Approver' })
    expect((await bench.send(`GET ${target}`, { as: 2005 })).status).toBe(404)
    expect((await bench.send(`DELETE ${target}`, { as: 2001 })).status).toBe(404)
    expect(await bench.send(`DELETE ${target}`)).toMatchObject({ status: 200, text: '' })
    expect((await bench.send(`DELETE ${target}`)).status).toBe(404)
    expect((await bench.send(`GET ${target}`)).status).toBe(404)
  })

  test.each(['GET', 'DELETE'])('%s of an unknown one → 404 (decision 98)', async (method) => {
    expect((await bench.send(`${method} /api/activations/4711`)).status).toBe(404)
  })

  test('waits for approval (decision 103)', async () => {
    const asked = await match(2002, ['PENDING_APPROVAL'], 'VOD_ACTIVE')
    await bench.control(`POST /jobs/${asked.id}/approve`)
    await expect.poll(async () => (await bench.send(`GET /api/jobs/${asked.id}`)).body.status).toBe('SUCCESS')
    const waiting = await bench.job('POST /api/activations', body({ matchJobId: asked.id }), {
      until: ['PENDING_APPROVAL'],
    })
    expect(waiting.activationId).toBeUndefined()
    await bench.control(`POST /jobs/${waiting.id}/reject`)
    expect((await bench.send(`GET /api/jobs/${waiting.id}`)).body.status).toBe('REJECTED')
    expect((await bench.control(`POST /jobs/${waiting.id}/approve`)).status).toBe(409)
  })

  test('need not have a name of its own; lists page (decisions 96, 102)', async () => {
    const before = (await bench.send('GET /api/activations/activations?pageSize=100')).body.activations.length
    const [one, two] = [
      await bench.job('POST /api/activations', body()),
      await bench.job('POST /api/activations', body()),
    ]
    const list = (await bench.send('GET /api/activations/activations?pageSize=100')).body
    expect(list).toMatchObject({ page: 0, pageSize: 100, hasMore: false })
    expect(list.activations.slice(before).map((item: { ActivationId: string }) => item.ActivationId)).toEqual([
      one.activationId,
      two.activationId,
    ])
  })
})
