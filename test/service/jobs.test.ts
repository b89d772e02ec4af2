import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createFakeEngine } from './support/fake-engine.ts'
import { newSegment, startTestService, type TestService } from './support/start-test-service.ts'
import { testNetwork } from './support/test-network.ts'

const running: TestService[] = []
const start = async (options: Parameters<typeof startTestService>[0]) => {
  const bench = await startTestService(options)
  running.push(bench)
  return bench
}
afterEach(async () => {
  for (const bench of running.splice(0)) await bench.close()
})

const latencies = { PENDING: 60_000, READY: 60_000, RUNNING: 60_000 }

/**
 * All stages of a job and its match. The clock of the service stands still; an advance does everything that comes due.
 */
async function watch(bench: TestService, started: { id: string; matchId?: string }): Promise<string[]> {
  const seen: string[] = []
  for (let steps = 0; steps < 60; steps++) {
    const job = (await bench.send(`GET /api/jobs/${started.id}`)).body
    const record = started.matchId && (await bench.send(`GET /api/segments/match/${started.matchId}`)).body.status
    const state = record ? `${job.status}/${record}` : job.status
    if (seen.at(-1) !== state) seen.push(state)
    if (['SUCCESS', 'REJECTED', 'FAILED'].includes(job.status)) return seen
    await bench.control('POST /clock/advance', { ms: 10_000 })
  }
  return seen
}

describe('the way of a job (decision 124; docs/decisions.md, "Matching")', () => {
  test('takes its time in each status, and the record of its match goes with it', async () => {
    const bench = await start({ network: { ...testNetwork, latencies } })
    await bench.control('POST /clock/freeze')
    await bench.upload('a.csv', 'a 2001 CABLE')
    const post = async (target: string, body?: unknown) => (await bench.send(target, { body })).body
    const segment = await post('POST /api/segments', newSegment('a'))
    expect(await watch(bench, segment)).toEqual(['PENDING', 'READY', 'RUNNING', 'SUCCESS'])
    const { segmentId } = (await bench.send(`GET /api/jobs/${segment.id}`)).body

    const body = { segmentId, deliveryScopes: ['CABLE'] }
    const match = await post('POST /api/segments/match', { ...body, partnerId: 2001 })
    expect(await watch(bench, match)).toEqual([
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
    expect(await watch(bench, await post('POST /api/segments/match', { ...body, groupId: 9001 }))).toEqual([
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
    expect(await watch(bench, await post(`POST /api/segments/match/refresh/${match.id}`))).toEqual(update)
    const split = await post(`POST /api/segments/match/test-control/${match.id}`, { shaveOffPercent: 5 })
    expect(await watch(bench, split)).toEqual(update)
    expect(await watch(bench, await post('POST /api/segments/match', { ...body, partnerId: 2003 }))).toEqual([
      'PENDING/SUBMITTED',
      'PENDING/RECEIVED',
      'PENDING_APPROVAL/PENDING_APPROVAL',
      'REJECTED/REJECTED',
    ])
    const activation = { activationName: 'x', segmentId, matchJobId: match.id, refreshRate: 0, actionType: 'REQUEST' }
    const { id } = await post('POST /api/activations', activation)
    expect(await watch(bench, { id })).toEqual(['PENDING', 'PENDING_APPROVAL', 'READY', 'RUNNING', 'SUCCESS'])
  })

  test('shows no count before the match is finished, nor while it is updated (decision 91)', async () => {
    const bench = await start({})
    const segmentId = await bench.segment('a', 'a 2001 CABLE')
    const { matchId } = await bench.job('POST /api/segments/match', {
      segmentId,
      partnerId: 2001,
      deliveryScopes: ['CABLE'],
    })
    const read = async () => (await bench.send(`GET /api/segments/match/${matchId}`)).body
    expect(await read()).toMatchObject({ status: 'FINISHED', matchCount: 1 })
    await bench.control('POST /clock/freeze')
    await bench.send(`POST /api/segments/match/refresh/${matchId}`)
    expect(await read()).toMatchObject({ status: 'UPDATE_SUBMITTED', matchCount: 0, matchJobId: matchId.toString() })
  })
})

describe('what people decide (decision 126)', () => {
  test.each([
    ['cancel', 'CANCELLED', undefined],
    ['fail', 'FAILED', undefined],
    ['fail', 'PARTIAL_SUCCESS', { partially: true }],
  ])('%s ends a job as %s and leaves nothing of what it was making', async (action, status, body) => {
    let begun = 0
    const held = Promise.withResolvers<void>()
    const bench = await start({
      engine: createFakeEngine({
        beforeWork: () => {
          begun++
          return held.promise
        },
      }),
    })
    await bench.upload('a.csv', 'ann')
    const { id } = (await bench.send('POST /api/segments', { body: newSegment('a') })).body
    await expect.poll(() => begun).toBe(1)
    expect((await bench.control(`POST /jobs/${id}/${action}`, body)).status).toBe(200)
    held.resolve()
    expect((await bench.send(`GET /api/jobs/${id}`)).body).toEqual({ id, status })
    expect((await bench.control(`POST /jobs/${id}/${action}`, body)).status).toBe(409)
    const next = await bench.job('POST /api/segments', newSegment('a'))
    await expect.poll(() => readdir(join(bench.dataDir, 'sets'))).toEqual([`${next.id}-segment.parquet`])
  })

  test('a cancelled refresh leaves the match as it was', async () => {
    const bench = await start({})
    const segmentId = await bench.segment('a', 'a 2001 CABLE')
    const { matchId } = await bench.job('POST /api/segments/match', {
      segmentId,
      partnerId: 2001,
      deliveryScopes: ['CABLE'],
    })
    await bench.control('POST /clock/freeze')
    const { id } = (await bench.send(`POST /api/segments/match/refresh/${matchId}`)).body
    await bench.control(`POST /jobs/${id}/cancel`)
    expect((await bench.send(`GET /api/segments/match/${matchId}`)).body).toMatchObject({
      status: 'FINISHED',
      matchCount: 1,
      matchJobId: matchId,
    })
  })
})

describe('jobs of one participant', () => {
  test('are not there for another (decision 9)', async () => {
    const bench = await start({})
    await bench.upload('a.csv', 'ann')
    const { id } = await bench.job('POST /api/segments', newSegment('a'))
    expect((await bench.send(`GET /api/jobs/${id}`, { as: 2001 })).status).toBe(404)
  })

  test('one that the engine cannot do FAILs; the service goes on', async () => {
    const engine = createFakeEngine()
    const outOfMemory = () => Promise.reject(new Error('out of memory'))
    const bench = await start({ engine: { ...engine, match: outOfMemory } })
    const segmentId = await bench.segment('a', 'a')
    const job = await bench.job('POST /api/segments/match', { segmentId, partnerId: 2001, deliveryScopes: ['CABLE'] })
    expect(job).toEqual({ id: job.id, status: 'FAILED', segmentId, matchId: job.id })
    expect((await bench.send(`GET /api/segments/match/${job.id}`)).body.status).toBe('FAILED')
    expect((await bench.job(`PUT /api/segments/${segmentId}/refresh`, undefined)).status).toBe('SUCCESS')
  })

  test('PARTIAL_SUCCESS is a segment that failed although its file was well-formed (decision 123)', async () => {
    const outOfMemory = () => Promise.reject(new Error('out of memory'))
    const bench = await start({ engine: { ...createFakeEngine(), buildSegment: outOfMemory } })
    await bench.upload('a.csv', 'ann')
    const job = await bench.job('POST /api/segments', newSegment('a'))
    expect(job).toEqual({ id: job.id, status: 'PARTIAL_SUCCESS' })
  })

  test('many at once all end, with two at work at a time', async () => {
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
    const bench = await start({ engine })
    await bench.upload('a.csv', 'ann')
    const jobs = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        bench.job('POST /api/segments', { ...newSegment(`s${index}`), segmentFileName: 'a.csv' }),
      ),
    )
    expect(jobs.map((job) => job.status)).toEqual(jobs.map(() => 'SUCCESS'))
    expect(most).toBe(2)
  })
})
