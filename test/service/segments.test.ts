import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSegment, startTestService, type TestService } from './support/start-test-service.ts'

let bench: TestService
beforeAll(async () => {
  bench = await startTestService()
  await bench.upload('base.csv', 'ann 2001 CABLE\nben 2001 CABLE')
  await bench.upload('base.csv', 'ann', 'uploadSignal=IP&resultContent=BGID')
  await bench.upload('base.csv', 'ann', 'uploadSignal=EMAIL&resultContent=HASHED')
  await bench.upload('bgids.csv', 'ann', 'uploadSignal=BGID&resultContent=BGID')
})
afterAll(() => bench.close())

let count = 0
const body = (more: Record<string, unknown> = {}) => ({
  ...newSegment(`s${count++}`),
  segmentFileName: 'base.csv',
  ...more,
})
const create = (more?: Record<string, unknown>) => bench.send('POST /api/segments', { body: body(more) })

describe('what a create needs (decisions 36 to 44)', () => {
  const cases: [name: string, more: Record<string, unknown>, status: number, wrong?: string][] = [
    ['100 characters', { segmentName: 'x'.repeat(100) }, 200],
    ['101 characters', { segmentName: 'x'.repeat(101) }, 400, '/segmentName'],
    ['50 emoji are 100 units', { segmentName: '😀'.repeat(50) }, 200],
    ['51 emoji', { segmentName: '😀'.repeat(51) }, 400, '/segmentName'],
    ['a blank name', { segmentName: ' ' }, 400, '/segmentName'],
    ['200 of an owner', { dataOwner: 'x'.repeat(200) }, 200],
    ['201 of an owner', { dataOwner: 'x'.repeat(201) }, 400, '/dataOwner'],
    ['500 of description', { description: 'x'.repeat(500) }, 200],
    ['501 of description', { description: 'x'.repeat(501) }, 400, '/description'],
    ['a negative cpm', { cpm: -1 }, 400, '/cpm'],
    ['a cpm of 0.5', { cpm: 0.5 }, 200],
    ['a very large cpm', { cpm: 1e300 }, 200],
    ['a signal in small letters', { uploadSignal: 'email' }, 400, '/uploadSignal'],
    ['no provider', { providerId: undefined }, 400, ''],
    ['null for the provider', { providerId: null }, 400, ''],
    ['no provider for HASHED', { providerId: undefined, resultContent: 'HASHED' }, 200],
    ['no provider for BGID', { providerId: undefined, uploadSignal: 'BGID', segmentFileName: 'bgids.csv' }, 200],
    ['BGID as HASHED', { uploadSignal: 'BGID', resultContent: 'HASHED' }, 400, ''],
    ['ZIPCODE as HASHED', { uploadSignal: 'ZIPCODE', resultContent: 'HASHED' }, 400, ''],
    ['IP without saying about dates (decision 38)', { uploadSignal: 'IP' }, 400, ''],
    ['IP without dates: false is a value (decision 38)', { uploadSignal: 'IP', uploadDateWithSignals: false }, 200],
    ['an unknown provider', { providerId: 4711 }, 400, '/providerId'],
    ['a provider that is no partner', { providerId: 2007 }, 400, '/providerId'],
    ['a provider with the signal', { providerId: 2004 }, 200],
    [
      'a provider without it',
      { providerId: 2004, uploadSignal: 'IP', uploadDateWithSignals: true },
      400,
      '/providerId',
    ],
    ['a missing file (decision 42)', { segmentFileName: 'nothing.csv' }, 400, '/segmentFileName'],
    ['a file of another signal (decision 42)', { uploadSignal: 'AAID' }, 400, '/segmentFileName'],
    ['a ZIPCODE file of two signals', { uploadSignal: 'ZIPCODE' }, 400, '/segmentFileName'],
    ['a ZIPCODE file of one signal', { uploadSignal: 'ZIPCODE', segmentFileName: 'bgids.csv' }, 200],
  ]
  test.each(cases)('%s', async (_name, more, status, wrong) => {
    const answer = await create(more)
    expect(answer.status).toBe(status)
    if (wrong !== undefined) expect(answer.body.errors[0].pointer).toBe(wrong)
  })

  test('answers with the job, and with the segment only once that succeeded (decisions 32, 33, 34 and 129)', async () => {
    const answer = await create()
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id: expect.stringMatching(/^\d+$/), status: 'PENDING' })
  })

  test('keeps participantSegmentId unique, in flight too, until failure or delete (decision 43)', async () => {
    await bench.upload('empty.csv', '')
    const both = await Promise.all([create({ participantSegmentId: 'mine' }), create({ participantSegmentId: 'mine' })])
    const [first, twice] = both.sort((a, b) => a.status - b.status)
    expect(first).toMatchObject({ status: 200 })
    expect(twice).toMatchObject({ status: 400, body: { errors: [{ pointer: '/participantSegmentId' }] } })
    const { segmentId } = await bench.jobEnd(first!.body.id)
    expect((await create({ participantSegmentId: 'mine' })).status).toBe(400)
    await bench.send(`DELETE /api/segments/${segmentId}`)
    const failing = await bench.job(
      'POST /api/segments',
      body({ participantSegmentId: 'mine', segmentFileName: 'empty.csv' }),
    )
    expect(failing).toEqual({ id: expect.any(String), status: 'FAILED' })
    expect((await create({ participantSegmentId: 'mine' })).status).toBe(200)
  })
})

describe('reading and changing (decisions 45 to 50, 53)', () => {
  test('shows what was sent', async () => {
    const sent = body({
      cpm: 1.5,
      dataOwner: 'Amber',
      category: 'Auto',
      subCategory: 'New',
      description: 'd',
      spi: true,
    })
    const { segmentId } = await bench.job('POST /api/segments', sent)
    expect((await bench.send(`GET /api/segments/${segmentId}`)).body).toEqual({
      ...sent,
      id: segmentId,
      uploadDateWithSignals: null,
    })
  })

  test('update answers the segment (decision 47): omitted stays, null clears, a flag to false (decision 149), unlisted is ignored', async () => {
    const { segmentId } = await bench.job(
      'POST /api/segments',
      body({ cpm: 1, category: 'Auto', dataOwner: 'Amber', spi: true }),
    )
    const target = `PUT /api/segments/${segmentId}`
    const update = { segmentName: 'New', cpm: null, category: 'Cars', spi: null, uploadSignal: 'IP' }
    const changed = {
      id: segmentId,
      segmentName: 'New',
      cpm: null,
      category: 'Cars',
      dataOwner: 'Amber',
      spi: false,
      uploadSignal: 'EMAIL',
    }
    expect((await bench.send(target, { body: update })).body).toMatchObject(changed)
    expect((await bench.send(`GET /api/segments/${segmentId}`)).body).toMatchObject(changed)
    expect((await bench.send(target, { body: { cpm: 1 } })).status).toBe(400)
    expect((await bench.send(target, { body: { segmentName: null } })).status).toBe(400)
    expect((await bench.send(target, { body: { segmentName: 'x'.repeat(101) } })).status).toBe(400)
  })

  test.each(['GET', 'DELETE', 'PUT'])(
    '%s of an unknown one → 404, whatever its id looks like (decisions 49 and 50)',
    async (method) => {
      const sent = method === 'PUT' ? { body: { segmentName: 'x' } } : {}
      for (const id of ['unknown', '4711', '-1', '%C3%A4%20%2F'])
        expect((await bench.send(`${method} /api/segments/${id}`, sent)).status, id).toBe(404)
      expect((await bench.send('PUT /api/segments/unknown/refresh')).status).toBe(404)
    },
  )

  test('delete answers nothing, and takes the members with it', async () => {
    const { id, segmentId } = await bench.job('POST /api/segments', body())
    const sets = () => readdir(join(bench.dataDir, 'sets'))
    expect(await sets()).toContain(`${id}-segment.parquet`)
    expect(await bench.send(`DELETE /api/segments/${segmentId}`)).toMatchObject({ status: 200, text: '' })
    expect(await sets()).not.toContain(`${id}-segment.parquet`)
    expect((await bench.send(`GET /api/segments/${segmentId}`)).status).toBe(404)
    expect((await bench.send(`DELETE /api/segments/${segmentId}`)).status).toBe(404)
  })

  test('delete waits for the jobs (decision 53)', async () => {
    const { segmentId } = await bench.job('POST /api/segments', body())
    const { id } = await bench.job(
      'POST /api/segments/share',
      { segmentId, partnerId: 2002 },
      { until: ['PENDING_APPROVAL'] },
    )
    expect((await bench.send(`DELETE /api/segments/${segmentId}`)).status).toBe(400)
    await bench.control(`POST /jobs/${id}/reject`)
    expect((await bench.send(`DELETE /api/segments/${segmentId}`)).status).toBe(200)
  })
})

describe('refresh, which answers a job status (decision 47, 54 to 56)', () => {
  test.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['{}', '{}'],
  ])('takes %s for the same file', async (_name, sent) => {
    const { segmentId } = await bench.job('POST /api/segments', body())
    const answer = await bench.send(`PUT /api/segments/${segmentId}/refresh`, { body: sent })
    expect(answer).toMatchObject({ status: 200, body: { status: 'PENDING', segmentId } })
  })

  test('needs the file that it had, unless it is given another', async () => {
    await bench.upload('old.csv', 'ann')
    const { segmentId } = await bench.job('POST /api/segments', body({ segmentFileName: 'old.csv' }))
    await bench.send('DELETE /api/files/old.csv?uploadSignal=EMAIL&resultContent=BGID')
    const target = `PUT /api/segments/${segmentId}/refresh`
    expect((await bench.send(target)).status).toBe(400)
    expect((await bench.send(target, { body: { segmentFileName: 'nothing.csv' } })).status).toBe(400)
    expect((await bench.job(target, { segmentFileName: 'base.csv' })).status).toBe('SUCCESS')
    expect((await bench.send(`GET /api/segments/${segmentId}`)).body.segmentFileName).toBe('base.csv')
  })

  test('gets 400 while any job works on the segment, but not for what its matches wait for (decision 149)', async () => {
    const { segmentId } = await bench.job('POST /api/segments', body())
    const target = `PUT /api/segments/${segmentId}/refresh`
    const waits = { until: ['PENDING_APPROVAL'] }
    const match = { segmentId, partnerId: 2002, deliveryScopes: ['CABLE'] }
    await bench.job('POST /api/segments/match', match, waits)
    const first = await bench.send(target)
    expect(first.status).toBe(200)
    const second = await bench.send(target)
    expect(second).toMatchObject({ status: 400, body: { detail: expect.stringContaining(`job ${first.body.id}`) } })
    expect((await bench.jobEnd(first.body.id)).status).toBe('SUCCESS')
    const share = await bench.job('POST /api/segments/share', { segmentId, partnerId: 2002 }, waits)
    expect((await bench.send(target)).status).toBe(400)
    await bench.control(`POST /jobs/${share.id}/reject`)
    expect((await bench.job(target, undefined)).status).toBe('SUCCESS')
  })

  test('replaces the members whole; one that fails leaves them', async () => {
    const { segmentId } = await bench.job('POST /api/segments', body())
    const count = async () => {
      const job = await bench.job('POST /api/segments/match', { segmentId, partnerId: 2001, deliveryScopes: ['CABLE'] })
      return (await bench.send(`GET /api/segments/match/${job.matchId}`)).body.matchCount
    }
    expect(await count()).toBe(2)
    await bench.upload('next.csv', 'cid 2001 CABLE')
    await bench.upload('empty.csv', '')
    const target = `PUT /api/segments/${segmentId}/refresh`
    expect((await bench.job(target, { segmentFileName: 'empty.csv' })).status).toBe('FAILED')
    expect(await count()).toBe(2)
    await bench.job(target, { segmentFileName: 'next.csv' })
    expect(await count()).toBe(1)
  })
})

describe('share (decisions 52, 58, 59)', () => {
  test.each([
    ['an unknown segment', { segmentId: 'unknown', partnerId: 2001 }],
    ['oneself', { partnerId: 1001 }],
    ['nobody', { partnerId: 4711 }],
    ['a participant that is no partner', { partnerId: 2007 }],
    ['a partner without SEGMENT_SHARE', { partnerId: 2004 }],
  ])('with %s → 400', async (_name, more) => {
    const { segmentId } = await bench.job('POST /api/segments', body())
    expect((await bench.send('POST /api/segments/share', { body: { segmentId, ...more } })).status).toBe(400)
  })

  test('shows the segment to the partner, and its name only where it was shared', async () => {
    const named = (await bench.job('POST /api/segments', body({ segmentName: 'Named' }))).segmentId
    const unnamed = (await bench.job('POST /api/segments', body({ segmentName: 'Unnamed' }))).segmentId
    const partner = { as: 2001 }
    expect((await bench.send(`GET /api/segments/${named}`, partner)).status).toBe(404)
    expect(await bench.job('POST /api/segments/share', { segmentId: named, partnerId: 2001 })).toMatchObject({
      status: 'SUCCESS',
      segmentId: named,
    })
    await bench.job('POST /api/segments/share', { segmentId: unnamed, partnerId: 2001, shareSegmentName: false })
    const { segments } = (await bench.send('GET /api/segments', partner)).body
    expect(segments).toMatchObject([
      { id: named, segmentName: 'Named', participantSegmentId: null },
      { id: unnamed, segmentName: '', participantSegmentId: null },
    ])
    // A participant that can see a segment need not own it.
    expect((await bench.send(`DELETE /api/segments/${named}`, partner)).status).toBe(404)
    expect((await bench.send(`PUT /api/segments/${named}`, { ...partner, body: { segmentName: 'x' } })).status).toBe(
      404,
    )
    expect(
      (await bench.send('POST /api/segments/share', { ...partner, body: { segmentId: named, partnerId: 2005 } }))
        .status,
    ).toBe(400)
  })

  test('may be approved or rejected', async () => {
    const { segmentId } = await bench.job('POST /api/segments', body())
    for (const partnerId of [2003, 2006]) {
      expect((await bench.job('POST /api/segments/share', { segmentId, partnerId })).status).toBe('REJECTED')
    }
    const asked = { segmentId, partnerId: 2002 }
    const job = await bench.job('POST /api/segments/share', asked, { until: ['PENDING_APPROVAL'] })
    expect(job.status).toBe('PENDING_APPROVAL')
    expect((await bench.control(`POST /jobs/${job.id}/approve`)).status).toBe(200)
    await expect.poll(async () => (await bench.send(`GET /api/jobs/${job.id}`)).body.status).toBe('SUCCESS')
    expect((await bench.send(`GET /api/segments/${segmentId}`, { as: 2002 })).status).toBe(200)
  })
})

describe('lists (decisions 51, 130 to 132)', () => {
  test('filters exactly and with all filters at once, in order of creation', async () => {
    const list = await startTestService()
    await list.upload('a.csv', 'ann')
    await list.upload('a.csv', 'ann', 'uploadSignal=EMAIL&resultContent=HASHED')
    const make = async (name: string, more = {}) =>
      (await list.job('POST /api/segments', { ...newSegment(name), segmentFileName: 'a.csv', ...more })).segmentId
    const one = await make('one')
    const two = await make('two', { resultContent: 'HASHED' })
    const three = await make('three', { providerId: 2001 })
    const ids = async (query: string) =>
      (await list.send(`GET /api/segments?${query}`)).body.segments.map((segment: { id: string }) => segment.id)
    const cases: [string, string[]][] = [
      ['', [one, two, three]],
      ['resultContent=BGID', [one, three]],
      ['providerId=2001', [three]],
      ['resultContent=HASHED&providerId=2001', []],
      [`id=${two}`, [two]],
      [`id=${two}&resultContent=BGID`, []],
      [`id=${two}&page=1`, []],
      ['participantSegmentId=one', [one]],
      ['participantSegmentId=On', []],
      [`participantSegmentId=one&id=${two}`, []],
      ['uploadSignal=IP', []],
    ]
    for (const [query, expected] of cases) expect(await ids(query), query).toEqual(expected)
    await list.close()
  })
})
