import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createFakeEngine } from './support/fake-engine.ts'
import { newSegment, startTestService, type TestService } from './support/start-test-service.ts'
import { testNetwork } from './support/test-network.ts'

const running: TestService[] = []
const start = async (options: Parameters<typeof startTestService>[0]) => {
  const test = await startTestService(options)
  running.push(test)
  return test
}
afterEach(async () => {
  for (const test of running.splice(0)) await test.close()
})

const latencies = { PENDING: 60_000, READY: 60_000, RUNNING: 60_000 }

/**
 * All stages of a job and its match. The clock of the service stands still; an advance does everything that comes due.
 */
async function watch(test: TestService, started: { id: string; matchId?: string }): Promise<string[]> {
  const seen: string[] = []
  for (let steps = 0; steps < 60; steps++) {
    const job = (await test.send(`GET /api/jobs/${started.id}`)).body
    const record = started.matchId && (await test.send(`GET /api/segments/match/${started.matchId}`)).body.status
    const state = record ? `${job.status}/${record}` : job.status
    if (seen.at(-1) !== state) seen.push(state)
    if (['SUCCESS', 'REJECTED', 'FAILED'].includes(job.status)) return seen
    await test.control('POST /clock/advance', { ms: 10_000 })
  }
  return seen
}

describe('the way of a job (decision 124; docs/decisions.md, "Matching")', () => {
  it('takes its time in each status, and the record of its match goes with it', async () => {
    const test = await start({ network: { ...testNetwork, latencies } })
    await test.control('POST /clock/freeze')
    await test.upload('a.csv', 'a 2001 CABLE')
    const post = async (target: string, body?: unknown) => (await test.send(target, { body })).body
    const segment = await post('POST /api/segments', newSegment('a'))
    expect(await watch(test, segment)).toEqual(['PENDING', 'READY', 'RUNNING', 'SUCCESS'])
    const { segmentId } = (await test.send(`GET /api/jobs/${segment.id}`)).body

    const body = { segmentId, deliveryScopes: ['CABLE'] }
    const match = await post('POST /api/segments/match', { ...body, partnerId: 2001 })
    expect(await watch(test, match)).toEqual([
      'PENDING/SUBMITTED',
      'PENDING/RECEIVED',
      'PENDING_APPROVAL/PENDING_APPROVAL',
      'READY/APPROVED',
      'READY/FETCHED',
      'READY/READY_FOR_MATCH',
      'RUNNING/MATCH_ENGINE_PROCESSING',
      'RUNNING/WAITING_DELIVERY',
      'RUNNING/DELIVERING',
      'SUCCESS/FINISHED',
    ])
    expect(await watch(test, await post('POST /api/segments/match', { ...body, groupId: 9001 }))).toEqual([
      'PENDING/CHILD_SUBMITTED',
      'READY/CHILD_SUBMITTED',
      'RUNNING/CHILD_RUNNING',
      'RUNNING/AGGREGATE_MATCH_WAITING',
      'RUNNING/RUNNING',
      'SUCCESS/FINISHED',
    ])
    const update = [
      'PENDING/UPDATE_SUBMITTED',
      'READY/UPDATE_SUBMITTED',
      'RUNNING/UPDATE_RUNNING',
      'RUNNING/WAITING_DELIVERY',
      'RUNNING/DELIVERING',
      'SUCCESS/FINISHED',
    ]
    expect(await watch(test, await post(`POST /api/segments/match/refresh/${match.id}`))).toEqual(update)
    const split = await post(`POST /api/segments/match/test-control/${match.id}`, { shaveOffPercent: 5 })
    expect(await watch(test, split)).toEqual(update)
    expect(await watch(test, await post('POST /api/segments/match', { ...body, partnerId: 2003 }))).toEqual([
      'PENDING/SUBMITTED',
      'PENDING/RECEIVED',
      'PENDING_APPROVAL/PENDING_APPROVAL',
      'REJECTED/REJECTED',
    ])
    const activation = { activationName: 'x', segmentId, matchJobId: match.id, refreshRate: 0, actionType: 'REQUEST' }
    const { id } = await post('POST /api/activations', activation)
    expect(await watch(test, { id })).toEqual(['PENDING', 'PENDING_APPROVAL', 'READY', 'RUNNING', 'SUCCESS'])
  })

  it('shows no count before the match is finished, nor while it is updated (decision 91)', async () => {
    const test = await start({})
    const segmentId = await test.segment('a', 'a 2001 CABLE')
    const { matchId } = await test.job('POST /api/segments/match', {
      segmentId,
      partnerId: 2001,
      deliveryScopes: ['CABLE'],
    })
    const read = async () => (await test.send(`GET /api/segments/match/${matchId}`)).body
    expect(await read()).toMatchObject({ status: 'FINISHED', matchCount: 1 })
    await test.control('POST /clock/freeze')
    await test.send(`POST /api/segments/match/refresh/${matchId}`)
    expect(await read()).toMatchObject({ status: 'UPDATE_SUBMITTED', matchCount: 0, matchJobId: matchId.toString() })
  })
})

describe('what people decide (decision 126)', () => {
  it.each([
    ['cancel', 'CANCELLED', undefined],
    ['fail', 'FAILED', undefined],
    ['fail', 'PARTIAL_SUCCESS', { partially: true }],
  ])('%s ends a job as %s and leaves nothing of what it was making', async (action, status, body) => {
    let begun = 0
    const held = Promise.withResolvers<void>()
    const test = await start({
      engine: createFakeEngine({
        beforeWork: () => {
          begun++
          return held.promise
        },
      }),
    })
    await test.upload('a.csv', 'ann')
    const { id } = (await test.send('POST /api/segments', { body: newSegment('a') })).body
    await expect.poll(() => begun).toBe(1)
    expect((await test.control(`POST /jobs/${id}/${action}`, body)).status).toBe(200)
    held.resolve()
    expect((await test.send(`GET /api/jobs/${id}`)).body).toEqual({ id, status })
    expect((await test.control(`POST /jobs/${id}/${action}`, body)).status).toBe(409)
    const next = await test.job('POST /api/segments', newSegment('a'))
    await expect.poll(() => readdir(join(test.dataDir, 'sets'))).toEqual([`${next.id}-segment.parquet`])
  })

  it('a cancelled refresh leaves the match as it was', async () => {
    const test = await start({})
    const segmentId = await test.segment('a', 'a 2001 CABLE')
    const { matchId } = await test.job('POST /api/segments/match', {
      segmentId,
      partnerId: 2001,
      deliveryScopes: ['CABLE'],
    })
    await test.control('POST /clock/freeze')
    const { id } = (await test.send(`POST /api/segments/match/refresh/${matchId}`)).body
    await test.control(`POST /jobs/${id}/cancel`)
    expect((await test.send(`GET /api/segments/match/${matchId}`)).body).toMatchObject({
      status: 'FINISHED',
      matchCount: 1,
      matchJobId: matchId,
    })
  })
})

describe('jobs of one participant', () => {
  it('are not there for another (decision 9)', async () => {
    const test = await start({})
    await test.upload('a.csv', 'ann')
    const { id } = await test.job('POST /api/segments', newSegment('a'))
    expect((await test.send(`GET /api/jobs/${id}`, { as: 2001 })).status).toBe(404)
  })

  it('one that the engine cannot do FAILs; the service goes on', async () => {
    const engine = createFakeEngine()
    const outOfMemory = () => Promise.reject(new Error('out of memory'))
    const test = await start({ engine: { ...engine, match: outOfMemory } })
    const segmentId = await test.segment('a', 'a')
    const job = await test.job('POST /api/segments/match', { segmentId, partnerId: 2001, deliveryScopes: ['CABLE'] })
    expect(job).toEqual({ id: job.id, status: 'FAILED', segmentId, matchId: job.id })
    expect((await test.send(`GET /api/segments/match/${job.id}`)).body.status).toBe('FAILED')
    expect((await test.job(`PUT /api/segments/${segmentId}/refresh`, undefined)).status).toBe('SUCCESS')
  })

  it('PARTIAL_SUCCESS is a segment that failed although its file was well-formed (decision 123)', async () => {
    const outOfMemory = () => Promise.reject(new Error('out of memory'))
    const test = await start({ engine: { ...createFakeEngine(), buildSegment: outOfMemory } })
    await test.upload('a.csv', 'ann')
    const job = await test.job('POST /api/segments', newSegment('a'))
    expect(job).toEqual({ id: job.id, status: 'PARTIAL_SUCCESS' })
  })

  it('many at once all end, with two at work at a time', async () => {
    let atWork = 0
    let most = 0
    const twoAtWork = Promise.withResolvers<void>()
    const engine = createFakeEngine({
      beforeWork: async () => {
        most = Math.max(most, ++atWork)
        if (atWork === 2) twoAtWork.resolve()
        await twoAtWork.promise
        await turn()
        atWork--
      },
    })
    const test = await start({ engine })
    await test.upload('a.csv', 'ann')
    const jobs = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        test.job('POST /api/segments', { ...newSegment(`s${index}`), segmentFileName: 'a.csv' }),
      ),
    )
    expect(jobs.map((job) => job.status)).toEqual(jobs.map(() => 'SUCCESS'))
    expect(most).toBe(2)
  })
})
