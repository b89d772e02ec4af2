import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../../src/service/start-service.ts'
import { createFakeEngine } from './support/fake-engine.ts'
import { newSegment, startTestService, type TestService } from './support/start-test-service.ts'
import { testNetwork } from './support/test-network.ts'

const running: TestService[] = []
const start = async (options: Partial<ServiceOptions> = {}) => {
  const bench = await startTestService(options)
  running.push(bench)
  return bench
}
afterEach(async () => {
  for (const bench of running.splice(0)) await bench.close()
})

const HOUR = 3_600_000
const slow = { ...testNetwork, latencies: { PENDING: HOUR, READY: HOUR, RUNNING: HOUR } }

/** Starts a segment's job and returns its id. */
const begin = async (bench: TestService, name = 'a') => {
  await bench.upload(`${name}.csv`, 'ann 2001 CABLE\nben 2001 CABLE')
  return (await bench.send('POST /api/segments', { body: newSegment(name) })).body.id
}
const statusOf = async (bench: TestService, id: string) => (await bench.send(`GET /api/jobs/${id}`)).body.status
const matchOf = async (bench: TestService, segmentId: string, partnerId = 2001) =>
  bench.job('POST /api/segments/match', { segmentId, partnerId, deliveryScopes: ['CABLE'] })

describe('requests to the control API', () => {
  test.each([
    ['GET /nothing', undefined, 404],
    ['GET /reset', undefined, 405],
    ['POST /clock/advance', undefined, 400],
    ['POST /clock/advance', { ms: '1' }, 400],
    ['POST /clock/advance', { ms: -1 }, 400],
    ['POST /clock/advance', { ms: 1, days: 1 }, 400],
    ['POST /clock/freeze?now=true', {}, 400],
    ['POST /snapshots/..%2Fhere', {}, 400],
    ['POST /snapshots/A', {}, 400],
    ['POST /snapshots/none/restore', {}, 404],
    ['DELETE /snapshots/none', undefined, 404],
    ['GET /jobs?limit=0', undefined, 400],
    ['GET /jobs?status=DONE', undefined, 400],
    ['GET /jobs?limit=1&limit=1', undefined, 400],
    ['POST /jobs/abc/hold', {}, 400],
    ['POST /jobs/4711/hold', {}, 404],
    ['POST /jobs/4711/fail', { partially: 'yes' }, 400],
    ['GET /matches/4711/set', undefined, 404],
    ['GET /requests?operation=jobs.list', undefined, 400],
  ])('%s %j → %i, as a problem', async (target, body, status) => {
    const bench = await start()
    const answer = await bench.control(target, body)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.body).toMatchObject({ status })
  })

  test('need the control token, but for health and readiness', async () => {
    const bench = await start()
    const status = async (path: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${bench.service.control.url}${path}`, { headers })).status
    }
    expect(await status('/jobs', bench.service.token)).toBe(401)
    expect(await status('/health', 'none')).toBe(200)
    expect(await status('/ready', 'none')).toBe(200)
  })

  test('take JSON alone', async () => {
    const bench = await start()
    const headers = { authorization: `Bearer ${bench.service.control.token}`, 'content-type': 'text/plain' }
    const answer = await fetch(`${bench.service.control.url}/clock/advance`, {
      method: 'POST',
      headers,
      body: '{"ms":1}',
    })
    expect(answer.status).toBe(415)
  })
})

describe('the clock', () => {
  test('frozen: no job goes on, not after a restart either, until it is thawed', async () => {
    const bench = await start()
    const frozen = (await bench.control('POST /clock/freeze')).body
    expect(frozen).toMatchObject({ frozen: true })
    const id = await begin(bench)
    await bench.restart()
    expect((await bench.control('GET /clock')).body).toMatchObject({ frozen: true, now: frozen.now })
    expect(await statusOf(bench, id)).toBe('PENDING')
    expect((await bench.control('POST /clock/thaw')).body.frozen).toBe(false)
    await expect.poll(() => statusOf(bench, id)).toBe('SUCCESS')
  })

  test.each(['freeze', 'thaw'])('advanced after %s: runs every job that falls due on the way', async (state) => {
    const bench = await start({ network: slow })
    await bench.control(`POST /clock/${state}`)
    const id = await begin(bench)
    const advance = async (ms: number) => {
      await bench.control('POST /clock/advance', { ms })
      return statusOf(bench, id)
    }
    // After a thaw, the time of the machine passes, too.
    expect(await advance(HOUR / 2)).toBe('PENDING')
    expect(await advance(HOUR / 2)).toBe('READY')
    expect(await advance(2 * HOUR)).toBe('SUCCESS')
    const offset = (await bench.control('GET /clock')).body.offsetMs
    expect(offset).toBeGreaterThan(3 * HOUR - 10_000)
    await bench.restart()
    expect((await bench.control('GET /clock')).body.offsetMs).toBeGreaterThan(3 * HOUR - 10_000)
  })
})

describe('jobs', () => {
  test('held: stays where it is, over a restart too, and goes on when it is released', async () => {
    const bench = await start({ network: { ...slow, latencies: { PENDING: 200, READY: 1, RUNNING: 1 } } })
    const id = await begin(bench)
    expect((await bench.control(`POST /jobs/${id}/hold`)).body).toEqual({ id, done: 'hold', status: 'PENDING' })
    await bench.restart()
    expect((await bench.control('GET /jobs?active=true')).body.jobs).toMatchObject([{ id, held: true, dueAt: null }])
    await bench.control('POST /clock/advance', { ms: HOUR })
    expect(await statusOf(bench, id)).toBe('PENDING')
    await bench.control(`POST /jobs/${id}/release`)
    await expect.poll(() => statusOf(bench, id)).toBe('SUCCESS')
    expect((await bench.control(`POST /jobs/${id}/release`)).status).toBe(409)
  })

  test('stepped: takes one state at a time, its work included', async () => {
    const bench = await start({ network: slow })
    const id = await begin(bench)
    await bench.control(`POST /jobs/${id}/hold`)
    const step = async () => (await bench.control(`POST /jobs/${id}/step`)).body.status
    expect([await step(), await step(), await step()]).toEqual(['READY', 'RUNNING', 'SUCCESS'])
    expect((await bench.control(`POST /jobs/${id}/step`)).status).toBe(409)
  })

  test('held while it is at work: keeps what it made for the step', async () => {
    let begun = 0
    const work = Promise.withResolvers<void>()
    const engine = createFakeEngine({
      beforeWork: () => {
        begun++
        return work.promise
      },
    })
    const bench = await start({ engine })
    const id = await begin(bench)
    await expect.poll(() => begun).toBe(1)
    await bench.control(`POST /jobs/${id}/hold`)
    work.resolve()
    await expect.poll(() => readdir(join(bench.dataDir, 'sets'))).toEqual([`${id}-segment.parquet`])
    await bench.control('POST /clock/advance', { ms: HOUR })
    expect(await statusOf(bench, id)).toBe('RUNNING')
    expect((await bench.control(`POST /jobs/${id}/step`)).body.status).toBe('SUCCESS')
    expect(begun).toBe(1)
  })

  test('do not step past a person', async () => {
    const bench = await start()
    const segmentId = await bench.segment('a', 'ann 2002 CABLE')
    const { body } = await bench.send('POST /api/segments/share', { body: { segmentId, partnerId: 2002 } })
    await expect.poll(() => statusOf(bench, body.id)).toBe('PENDING_APPROVAL')
    expect((await bench.control(`POST /jobs/${body.id}/step`)).status).toBe(409)
    expect((await bench.control(`POST /jobs/${body.id}/approve`)).status).toBe(200)
    await expect.poll(() => statusOf(bench, body.id)).toBe('SUCCESS')
  })

  test('are listed, newest first, with why they failed', async () => {
    const bench = await start()
    await bench.segment('a', 'ann')
    await bench.upload('empty.csv', '')
    const { id } = await bench.job('POST /api/segments', newSegment('empty'))
    const { jobs } = (await bench.control('GET /jobs?participant=1001&kind=segments.create')).body
    expect(jobs).toMatchObject([
      { id, status: 'FAILED', failure: 'the file is empty', kind: 'segments.create', participant: 1001, held: false },
      { status: 'SUCCESS', failure: null },
    ])
    expect((await bench.control('GET /jobs?status=FAILED&limit=1')).body.jobs).toHaveLength(1)
    expect((await bench.control('GET /jobs?active=true')).body.jobs).toEqual([])
  })
})

describe('the state', () => {
  test('is reset to the first start: ids, files and clock, but not tokens and snapshots', async () => {
    const bench = await start()
    const segmentId = await bench.segment('a', 'ann 2001 CABLE')
    await matchOf(bench, segmentId)
    await bench.control('POST /snapshots/kept')
    await bench.control('POST /clock/advance', { ms: HOUR })
    await bench.control('POST /faults', { operation: 'files.list', action: 'status', status: 500 })
    expect((await bench.control('POST /reset')).body).toEqual({ done: 'reset' })
    expect(await dump(bench)).toEqual({ segments: [], matches: [], files: [], contents: [], sets: [] })
    expect((await bench.control('GET /clock')).body).toMatchObject({ frozen: false, offsetMs: 0 })
    expect(await begin(bench)).toBe('1')
    await expect.poll(() => statusOf(bench, '1')).toBe('SUCCESS')
    await bench.restart()
    expect(await statusOf(bench, '1')).toBe('SUCCESS')
    expect((await bench.control('GET /snapshots')).body.snapshots).toMatchObject([{ name: 'kept' }])
  })

  test('is restored as it was, files and jobs under way too, whatever has happened since', async () => {
    const bench = await start({ network: { ...testNetwork, latencies: { PENDING: 100, READY: 1, RUNNING: 1 } } })
    const segmentId = await bench.segment('a', 'ann 2001 CABLE')
    await matchOf(bench, segmentId)
    const before = await dump(bench)
    const id = await begin(bench, 'b')
    expect((await bench.control('POST /snapshots/before')).status).toBe(200)
    expect((await bench.control('POST /snapshots/before')).status).toBe(409)

    await bench.control('POST /reset')
    // The same ids with different content.
    const other = await bench.segment('z', 'zoe 2001 CABLE')
    await matchOf(bench, other)
    expect((await bench.control('POST /snapshots/before/restore')).status).toBe(200)

    await expect.poll(() => statusOf(bench, id)).toBe('SUCCESS')
    await bench.restart()
    const after = await dump(bench)
    expect(after).toMatchObject({ matches: before.matches, segments: expect.arrayContaining(before.segments) })
    expect(after.files).toEqual(['a.csv', 'b.csv'])
    expect([after.contents, after.sets].map((list) => list.length)).toEqual([2, 3])
    expect(await matchOf(bench, segmentId)).toMatchObject({ status: 'SUCCESS' })
    expect((await bench.control('DELETE /snapshots/before')).status).toBe(200)
    expect(await dump(bench)).toMatchObject({ files: after.files })
  })

  test('a restore that a crash interrupted is ended by the next start; half a snapshot is none', async () => {
    const bench = await start()
    const segmentId = await bench.segment('a', 'ann 2001 CABLE')
    await bench.control('POST /snapshots/one')
    const before = await dump(bench)
    await bench.control('POST /reset')
    await bench.segment('z', 'zoe')
    // As a crash leaves it: the marker exists, and nothing is replaced yet.
    await writeFile(join(bench.dataDir, 'restoring'), 'one')
    await mkdir(join(bench.dataDir, 'snapshots', 'two.part'))
    await bench.restart()
    expect(await dump(bench)).toEqual(before)
    expect((await bench.send(`GET /api/segments/${segmentId}`)).status).toBe(200)
    expect((await bench.control('GET /snapshots')).body.snapshots).toHaveLength(1)
    expect(existsSync(join(bench.dataDir, 'restoring'))).toBe(false)
  })

  test('an upload that was under way is not lost by a reset', async () => {
    const bench = await start()
    await bench.upload('old.csv', 'x')
    const uploading = fetch(`${bench.service.url}/api/files?uploadSignal=EMAIL&resultContent=BGID`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bench.service.token}`,
        accept: 'application/vnd.service.v1+json',
        'content-type': 'multipart/form-data; boundary=b',
      },
      duplex: 'half',
      body: new ReadableStream({
        async start(controller) {
          controller.enqueue(
            Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="new.csv"\r\n\r\nann'),
          )
          await expect.poll(() => readdir(join(bench.dataDir, 'files'))).toHaveLength(2)
          await bench.control('POST /reset')
          controller.enqueue(Buffer.from('\r\n--b--\r\n'))
          controller.close()
        },
      }),
    } as RequestInit)
    expect((await uploading).status).toBe(200)
    const [content, ...more] = (await dump(bench)).contents
    expect([more, await readFile(join(bench.dataDir, 'files', String(content)), 'utf8')]).toEqual([[], 'ann'])
  })

  test('waits for jobs that are at work', async () => {
    const work = Promise.withResolvers<void>()
    let begun = 0
    const engine = createFakeEngine({
      beforeWork: () => {
        begun++
        return work.promise
      },
    })
    const bench = await start({ engine })
    await begin(bench)
    await expect.poll(() => begun).toBe(1)
    const reset = bench.control('POST /reset')
    work.resolve()
    expect((await reset).status).toBe(200)
    expect((await dump(bench)).sets).toEqual([])
  })
})

describe('what others need', () => {
  test('lists the participants, each with an address and a token that work', async () => {
    const bench = await start()
    const { participants } = (await bench.control('GET /participants')).body
    expect(participants.map((one: { id: number }) => one.id)).toEqual(testNetwork.participants.map(({ id }) => id))
    for (const { baseUrl, token } of participants) {
      const headers = { authorization: `Bearer ${token}`, accept: '*/*' }
      expect((await fetch(`${baseUrl}/api/groups`, { headers })).status).toBe(200)
    }
  })

  test('says what the network file says of participants and groups, with ids to the last digit', async () => {
    const bench = await start()
    const { participants } = (await bench.control('GET /participants')).body
    expect(participants.find(({ id }: { id: number }) => id === 2005)).toMatchObject({
      name: 'Has a scope of its own',
      approval: 'auto',
      deliveryScopes: ['CABLE', 'CUSTOM_1'],
      customDeliveryScopesDetail: [{ label: 'Sports', value: 'CUSTOM_1' }],
      minimumSegmentSize: 0,
    })
    const { groups } = (await bench.control('GET /groups')).body
    expect(groups[0]).toMatchObject({
      groupName: 'Cable',
      features: ['AGGREGATED_MATCH'],
      groupMembers: [2001, 2005, 2006],
    })
    expect(groups.map(({ groupId }: { groupId: string }) => groupId)).toContain('9007199254740993')
  })

  test('lists segments, matches and activations of all participants, newest first, deleted segments not', async () => {
    const bench = await start()
    const segmentId = await bench.segment('a', 'ann 2001 CABLE\nben 2001 CABLE\ncat')
    const other = await bench.segment('b', 'ann 2001 CABLE')
    const { matchId, id: matchJobId } = await matchOf(bench, segmentId)
    const inGroup = await bench.job('POST /api/segments/match', {
      segmentId: other,
      groupId: 9001,
      deliveryScopes: ['CABLE'],
    })
    const asked = { activationName: 'Autumn', segmentId, matchJobId, refreshRate: 30, actionType: 'REQUEST' }
    const { activationId } = await bench.job('POST /api/activations', asked)
    expect((await bench.control('GET /segments')).body.segments).toMatchObject([
      { id: other, owner: 1001, members: 1 },
      { id: segmentId, owner: 1001, state: 'live', uploadSignal: 'EMAIL', members: 3 },
    ])
    expect((await bench.control('GET /matches')).body.matches).toMatchObject([
      { id: inGroup.matchId, approver: null, groupId: '9001' },
      {
        id: matchId,
        requester: 1001,
        approver: 2001,
        groupId: null,
        segmentId,
        status: 'FINISHED',
        matchCount: 2,
        matchJobId,
      },
    ])
    expect((await bench.control('GET /activations')).body.activations).toMatchObject([
      {
        id: activationId,
        activationName: 'Autumn',
        requester: 1001,
        approver: 2001,
        matchId,
        segmentId,
        refreshRate: 30,
      },
    ])
    expect((await bench.control('GET /matches?limit=1')).body.matches).toHaveLength(1)
    await bench.send(`DELETE /api/segments/${other}`)
    expect((await bench.control('GET /segments')).body.segments).toMatchObject([{ id: segmentId }])
  })

  test('says which operations can fail in which way', async () => {
    const bench = await start()
    const { operations } = (await bench.control('GET /faults')).body
    const actionsOf = (wanted: string) =>
      operations.find(({ operation }: { operation: string }) => operation === wanted).actions
    expect(actionsOf('*')).toEqual(expect.arrayContaining(['lag', 'duplicate', 'status']))
    expect(actionsOf('segments.list')).toContain('duplicate')
    expect(actionsOf('segments.list')).not.toContain('lag')
    expect(actionsOf('segments.create')).toContain('lag')
  })

  test('exports a match as CSV, and leaves no file behind', async () => {
    const bench = await start()
    const segmentId = await bench.segment('a', 'ann 2001 CABLE\nben 2001 CABLE\ncat')
    const { matchId } = await matchOf(bench, segmentId)
    const answer = await bench.control(`GET /matches/${matchId}/set`)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.text.split('\n')).toEqual(['ann 2001 CABLE', 'ben 2001 CABLE'])
    expect((await bench.control(`GET /matches/${matchId}/set?part=test`)).status).toBe(409)
    await expect.poll(() => readdir(join(bench.dataDir, 'tmp', 'exports'))).toEqual([])
  })

  test('keeps a journal of the requests, without what might be secret', async () => {
    const bench = await start()
    await bench.upload('a.csv', 'ann')
    await bench.control('DELETE /requests')
    const { token } = bench.service
    await bench.send(`GET /api/segments?page=1&access_token=${token}`)
    await bench.send('POST /api/segments', { body: {}, headers: { authorization: 'Bearer wrong' } })
    await bench.send('GET /api/jobs/4711', { as: 2001 })
    await bench.send('GET /elsewhere')
    const { requests } = (await bench.control('GET /requests')).body
    expect(requests).toMatchObject([
      { participant: null, operation: null, path: '/p/1001/elsewhere', status: 404 },
      { participant: 2001, operation: 'jobs.get', path: '/api/jobs/4711', status: 404, bodyBytes: 0, fault: null },
      { participant: 1001, operation: 'segments.create', method: 'POST', status: 401, bodyBytes: 2 },
      { operation: 'segments.list', query: { page: ['1'] }, status: 200, requestId: expect.any(String) },
    ])
    expect(JSON.stringify(requests)).not.toContain(token)
    expect((await bench.control('GET /requests?operation=jobs.get')).body.requests).toHaveLength(1)
    expect((await bench.control('GET /requests?participant=1001&limit=1')).body.requests).toHaveLength(1)
  })
})

/** What the service shows, and the files that it stores. */
async function dump(bench: TestService) {
  const list = async (path: string, key: string) => (await bench.send(`GET ${path}`)).body[key]
  const names = async (folder: string) => (await readdir(join(bench.dataDir, folder))).sort()
  const files: { name: string }[] = await list('/api/files?uploadSignal=EMAIL&resultContent=BGID', 'files')
  return {
    segments: await list('/api/segments', 'segments'),
    matches: await list('/api/segments/match', 'matches'),
    files: files.map(({ name }) => name),
    contents: await names('files'),
    sets: await names('sets'),
  }
}
