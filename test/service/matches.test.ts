import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exactly, startTestService, type TestService } from './support/start-test-service.ts'

let bench: TestService
let segmentId: string
let hashedId: string
beforeAll(async () => {
  bench = await startTestService()
  segmentId = await bench.segment(
    'people',
    'a 2001 CABLE\nb 2001 VOD_ACTIVE\nc 2005 CABLE\nd 2001 2005 CABLE\ne 2005 CUSTOM_1',
    {
      spi: true,
      dataOwner: 'Amber',
      description: 'About people',
    },
  )
  hashedId = await bench.segment('hashed', 'a 2001 CABLE', { resultContent: 'HASHED' })
})
afterAll(() => bench.close())

const body = (more: Record<string, unknown> = {}) => ({ segmentId, deliveryScopes: ['CABLE'], ...more })
const match = async (more: Record<string, unknown>) => {
  const job = await bench.job('POST /api/segments/match', body(more))
  return (await bench.send(`GET /api/segments/match/${job.matchId}`)).body
}

describe('what a create needs (decisions 25, 60 to 69, 119)', () => {
  const cases: [name: string, more: Record<string, unknown>, status: number, wrong?: string][] = [
    ['neither partner nor group', {}, 400, ''],
    ['an unknown segment (decision 61)', { segmentId: 'unknown', partnerId: 2001 }, 400, '/segmentId'],
    ['an unknown partner', { partnerId: 4711 }, 400, '/partnerId'],
    ['oneself', { partnerId: 1001 }, 400, '/partnerId'],
    ['a partner without the signal', { partnerId: 2004 }, 400, '/partnerId'],
    ['an unknown group', { groupId: 4711 }, 400, '/groupId'],
    ['a group without AGGREGATED_MATCH', { groupId: 9002 }, 400, '/groupId'],
    ['a group of others', { groupId: 9003 }, 400, '/groupId'],
    ['a group with nobody eligible', { groupId: 9005 }, 400],
    ['a group and a member', { groupId: 9001, partnerId: 2005 }, 200],
    ['a group and somebody else', { groupId: 9001, partnerId: 2002 }, 400, '/partnerId'],
    ['an unknown scope', { partnerId: 2001, deliveryScopes: ['CABLE', 'RADIO'] }, 400, '/deliveryScopes/1'],
    ['a scope of another partner', { partnerId: 2001, deliveryScopes: ['CUSTOM_1'] }, 400, '/deliveryScopes/0'],
    ['a label of a scope', { partnerId: 2005, deliveryScopes: ['Sports'] }, 400, '/deliveryScopes/0'],
    ['a scope of its own', { partnerId: 2005, deliveryScopes: ['CUSTOM_1'] }, 200],
    ['a scope of a member', { groupId: 9001, deliveryScopes: ['CUSTOM_1'] }, 200],
    ['NONE', { partnerId: 2001, deliveryScopes: ['NONE'] }, 200],
  ]
  test.each(cases)('%s', async (_name, more, status, wrong) => {
    const answer = await bench.send('POST /api/segments/match', { body: body(more) })
    expect(answer.status).toBe(status)
    if (wrong !== undefined) expect(answer.body.errors[0].pointer).toBe(wrong)
  })
})

describe('a match', () => {
  test('says what was asked and what was found (decisions 63, 67 to 72, 89 and 90)', async () => {
    const job = await bench.job(
      'POST /api/segments/match',
      body({ partnerId: 2001, deliveryScopes: ['CABLE', 'VOD_ACTIVE', 'CABLE'] }),
    )
    expect(job).toEqual({ id: job.id, status: 'SUCCESS', segmentId, matchId: job.id })
    expect((await bench.send(`GET /api/segments/match/${job.id}`)).body).toEqual({
      matchId: Number(job.id),
      segmentId,
      segmentName: 'Segment people',
      participantSegmentId: 'people',
      spi: true,
      status: 'FINISHED',
      matchRequestor: 1001,
      matchApprover: 2001,
      matchSignal: 'EMAIL',
      matchCount: 3,
      shareBgIds: true,
      shareSegmentName: true,
      segmentOwner: 'Amber',
      deliveryScope: ['CABLE', 'VOD_ACTIVE'],
      description: 'About people',
      files: [],
      matchJobId: job.id,
      returnUnmatchedBgIds: false,
    })
  })

  test('has flags of its own, and accessBgIds under another name (decisions 64, 66 and 67)', async () => {
    const flags = { shareSegmentName: false, returnUnmatchedBgIds: true, spi: false }
    expect(await match({ partnerId: 2001, ...flags, accessBgIds: false })).toMatchObject({
      ...flags,
      shareBgIds: false,
    })
    expect(await match({ partnerId: 2001, returnUnmatchedBgIds: null, spi: null })).toMatchObject({
      returnUnmatchedBgIds: false,
      spi: true,
    })
  })

  test('tells HIGH_SPEED_DATA from HIGH_SPEED_INTERNET (decision 27)', async () => {
    const deliveryScopes = ['HIGH_SPEED_DATA', 'HIGH_SPEED_INTERNET']
    expect((await match({ partnerId: 2001, deliveryScopes })).deliveryScope).toEqual(deliveryScopes)
  })

  test('is created with 200, and split or refreshed with 202; a split at its creation does nothing (decisions 75 and 79)', async () => {
    const split = { shaveOffPercent: 100, controlHoldoutPercent: 100 }
    const created = await bench.send('POST /api/segments/match', { body: body({ partnerId: 2001, ...split }) })
    expect(created.status).toBe(200)
    const { matchId } = await bench.jobEnd(created.body.id)
    expect((await bench.send(`GET /api/segments/match/${matchId}`)).body.matchCount).toBe(2)
    expect((await readdir(join(bench.dataDir, 'sets'))).filter((name) => name === `${matchId}-split.parquet`)).toEqual(
      [],
    )
    for (const [change, sent] of [
      ['test-control', { shaveOffPercent: 10 }],
      ['refresh', undefined],
    ] as const) {
      const changed = await bench.send(`POST /api/segments/match/${change}/${matchId}`, { body: sent })
      expect(changed.status).toBe(202)
      expect((await bench.jobEnd(changed.body.id)).status).toBe('SUCCESS')
    }
  })

  test('of a group counts the union of its members once', async () => {
    expect(await match({ groupId: 9001 })).toMatchObject({ matchCount: 3, matchApprover: null })
    expect(await match({ segmentId: hashedId, groupId: 9001 })).toMatchObject({ matchCount: 1 })
  })

  test('that finds nobody is a result', async () => {
    expect(await match({ partnerId: 2001, deliveryScopes: ['LINEAR_ADDRESSABLE'] })).toMatchObject({
      status: 'FINISHED',
      matchCount: 0,
    })
  })

  test('keeps the digits of a 64-bit group and of its own id (decision 68)', async () => {
    const text = JSON.stringify(body({ groupId: 9 })).replace('"groupId":9', '"groupId":9007199254740993')
    const job = await bench.job('POST /api/segments/match', text)
    const answer = await bench.send(`GET /api/segments/match/${job.matchId}`)
    expect(exactly(answer)).toMatchObject({ matchApprover: null, matchCount: 2 })
  })

  test('shows the approver no name that was not shared, and lets nobody else see it (decisions 9, 92)', async () => {
    const hidden = await match({ partnerId: 2005, shareSegmentName: false, accessBgIds: false, spi: false })
    expect(hidden).toMatchObject({ segmentName: 'Segment people', shareBgIds: false, spi: false })
    const target = `/api/segments/match/${hidden.matchId}`
    expect((await bench.send(`GET ${target}`, { as: 2005 })).body).toMatchObject({
      segmentName: '',
      participantSegmentId: null,
      segmentOwner: null,
      description: '',
      matchCount: hidden.matchCount,
    })
    expect((await bench.send(`GET ${target}`, { as: 2002 })).status).toBe(404)
    expect((await bench.send(`DELETE ${target}`, { as: 2005 })).status).toBe(404)
    expect(
      (await bench.send('GET /api/segments/match?segmentName=Segment%20people', { as: 2005 })).body.matches,
    ).not.toContainEqual(expect.objectContaining({ matchId: hidden.matchId }))
  })

  test('is REJECTED or waits where the partner says so (decisions 103, 124)', async () => {
    const rejected = await bench.job('POST /api/segments/match', body({ partnerId: 2003 }))
    expect(rejected.status).toBe('REJECTED')
    expect((await bench.send(`GET /api/segments/match/${rejected.id}`)).body).toMatchObject({
      status: 'REJECTED',
      matchCount: 0,
    })
    expect((await bench.job('POST /api/segments/match', body({ partnerId: 2006 }))).status).toBe('REJECTED')

    const waiting = await bench.job('POST /api/segments/match', body({ partnerId: 2002 }), {
      until: ['PENDING_APPROVAL'],
    })
    expect((await bench.send(`GET /api/segments/match/${waiting.id}`)).body.status).toBe('PENDING_APPROVAL')
    const again = await bench.send('POST /api/segments/match', { body: body({ partnerId: 2002 }) })
    expect(again.status, 'the same match is being made (decision 82)').toBe(400)
    expect((await bench.send(`POST /api/segments/match/refresh/${waiting.id}`)).status).toBe(400)
    expect((await bench.send(`DELETE /api/segments/match/${waiting.id}`)).status).toBe(400)
    await bench.control(`POST /jobs/${waiting.id}/cancel`)
    expect((await bench.send(`GET /api/jobs/${waiting.id}`)).body.status).toBe('CANCELLED')
    expect((await bench.send(`GET /api/segments/match/${waiting.id}`)).body.status).toBe('FAILED')
    expect((await bench.send(`DELETE /api/segments/match/${waiting.id}`)).status).toBe(200)
  })
})

describe('changing a match (decisions 74 to 83)', () => {
  test.each(['POST /api/segments/match/refresh/4711', 'POST /api/segments/match/test-control/4711'])(
    '%s → 400',
    async (target) => {
      expect((await bench.send(target, { body: { shaveOffPercent: 1 } })).status).toBe(400)
    },
  )

  test.each([
    {},
    { shaveOffPercent: -1 },
    { shaveOffPercent: 101 },
    { controlHoldoutPercent: 1.5 },
    { controlHoldoutPercent: '1' },
  ])('test-control with %j → 400', async (sent) => {
    const { matchId } = await match({ partnerId: 2001 })
    expect((await bench.send(`POST /api/segments/match/test-control/${matchId}`, { body: sent })).status).toBe(400)
  })

  test('test-control splits the original set and keeps the split over a refresh', async () => {
    const { matchId, matchJobId } = await match({ partnerId: 2001 })
    const started = await bench.send(`POST /api/segments/match/test-control/${matchId}`, {
      body: { shaveOffPercent: 10 },
    })
    expect(started).toMatchObject({ status: 202, body: { matchId: String(matchId), status: 'PENDING' } })
    await expect.poll(async () => (await bench.send(`GET /api/jobs/${started.body.id}`)).body.status).toBe('SUCCESS')
    const after = (await bench.send(`GET /api/segments/match/${matchId}`)).body
    expect(after).toMatchObject({ status: 'FINISHED', matchCount: 2, matchJobId: started.body.id })
    expect(after.matchJobId).not.toBe(matchJobId)
    const read = async (job: string) => readFile(join(bench.dataDir, 'sets', `${job}-split.parquet`), 'utf8')
    expect(await read(started.body.id)).toMatch(/^10 0\n/)

    const refreshed = await bench.send(`POST /api/segments/match/refresh/${matchId}`)
    expect(refreshed.status).toBe(202)
    await expect.poll(async () => (await bench.send(`GET /api/jobs/${refreshed.body.id}`)).body.status).toBe('SUCCESS')
    expect(await read(refreshed.body.id)).toMatch(/^10 0\n/)
    const sets = await readdir(join(bench.dataDir, 'sets'))
    expect(sets.filter((name) => name.startsWith(`${started.body.id}-`) || name.startsWith(`${matchId}-`))).toEqual([])
  })

  test('test-control with one percentage leaves the other as it is (decision 149)', async () => {
    const { matchId } = await match({ partnerId: 2001 })
    const target = `POST /api/segments/match/test-control/${matchId}`
    const split = async (sent: object) => {
      const { id } = await bench.job(target, sent)
      return (await readFile(join(bench.dataDir, 'sets', `${id}-split.parquet`), 'utf8')).split('\n')[0]
    }
    expect(await split({ shaveOffPercent: 10 })).toBe('10 0')
    expect(await split({ controlHoldoutPercent: 20 })).toBe('10 20')
    expect(await split({ shaveOffPercent: 30 })).toBe('30 20')
    expect(await split({ shaveOffPercent: null, controlHoldoutPercent: 0 })).toBe('30 0')
  })

  test('refresh matches what the segment holds now', async () => {
    const id = await bench.segment('growing', 'a 2001 CABLE')
    const { matchId, matchCount } = await match({ segmentId: id, partnerId: 2001 })
    expect(matchCount).toBe(1)
    await bench.upload('growing.csv', 'a 2001 CABLE\nb 2001 CABLE')
    await bench.job(`PUT /api/segments/${id}/refresh`, undefined)
    expect((await bench.send(`GET /api/segments/match/${matchId}`)).body.matchCount).toBe(1)
    await bench.job(`POST /api/segments/match/refresh/${matchId}`, undefined)
    expect((await bench.send(`GET /api/segments/match/${matchId}`)).body.matchCount).toBe(2)
    await bench.send(`DELETE /api/segments/${id}`)
    expect((await bench.send(`POST /api/segments/match/refresh/${matchId}`)).status, 'the segment is gone').toBe(400)
    expect((await bench.send(`GET /api/segments/match/${matchId}`)).body.segmentName).toBe('Segment growing')
  })

  test('deletes with an empty answer, once (decisions 74, 76)', async () => {
    const { matchId } = await match({ partnerId: 2001 })
    expect(await bench.send(`DELETE /api/segments/match/${matchId}`)).toMatchObject({ status: 200, text: '' })
    expect((await bench.send(`DELETE /api/segments/match/${matchId}`)).status).toBe(404)
    expect((await bench.send(`GET /api/segments/match/${matchId}`)).status).toBe(404)
  })
})

describe('lists (decisions 84, 85, 86, 87 and 89)', () => {
  test.each(['NOPE', 'finished', 'SUCCESS'])('%s is no status of a match → 400 (decision 86)', async (status) => {
    const answer = await bench.send(`GET /api/segments/match?status=${status}`)
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ parameter: 'status' }] } })
  })

  test('filters by requester, name and status', async () => {
    const list = await startTestService()
    const [one, two] = [await list.segment('one', 'a 2001 CABLE'), await list.segment('two', 'a')]
    const make = (segment: string, partnerId: number, more = {}, as = 1001) =>
      list.job(
        'POST /api/segments/match',
        { segmentId: segment, partnerId, deliveryScopes: ['CABLE'], ...more },
        { as },
      )
    const first = await make(one, 2001)
    const second = await make(two, 2003)
    await list.job('POST /api/segments/share', { segmentId: one, partnerId: 2001 })
    const third = await make(one, 1001, {}, 2001)
    const ids = async (query: string, as = 1001) =>
      (await list.send(`GET /api/segments/match?${query}`, { as })).body.matches.map((item: { matchId: number }) =>
        String(item.matchId),
      )
    const cases: [query: string, as: number, expected: string[]][] = [
      ['', 1001, [first.id, second.id, third.id]],
      ['requester=true', 1001, [first.id, second.id]],
      ['requester=true', 2001, [third.id]],
      ['', 2001, [first.id, third.id]],
      ['segmentName=Segment%20one', 1001, [first.id, third.id]],
      ['segmentName=Segment+two', 1001, [second.id]],
      ['segmentName=segment%20one', 1001, []],
      ['status=FINISHED&requester=true', 1001, [first.id]],
      ['status=REJECTED', 1001, [second.id]],
      ['status=REJECTED', 2001, []],
      ['page=1', 1001, []],
    ]
    for (const [query, as, expected] of cases) expect(await ids(query, as), `${query} as ${as}`).toEqual(expected)
    await list.close()
  })
})
