import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServiceOptions } from '../../src/service/start-service.ts'
import { createFakeEngine } from './support/fake-engine.ts'
import { newSegment, startTestService, type TestService } from './support/start-test-service.ts'
import { testNetwork } from './support/test-network.ts'

const running: TestService[] = []
const start = async (options: Partial<ServiceOptions> = {}) => {
  const test = await startTestService(options)
  running.push(test)
  return test
}
afterEach(async () => {
  for (const test of running.splice(0)) await test.close()
})

const HOUR = 3_600_000
const slow = { ...testNetwork, latencies: { PENDING: HOUR, READY: HOUR, RUNNING: HOUR } }

/** Starts a segment's job and returns its id. */
const begin = async (test: TestService, name = 'a') => {
  await test.upload(`${name}.csv`, 'ann 2001 CABLE\nben 2001 CABLE')
  return (await test.send('POST /api/segments', { body: newSegment(name) })).body.id
}
const statusOf = async (test: TestService, id: string) => (await test.send(`GET /api/jobs/${id}`)).body.status
const matchOf = async (test: TestService, segmentId: string, partnerId = 2001) =>
  test.job('POST /api/segments/match', { segmentId, partnerId, deliveryScopes: ['CABLE'] })

describe('requests to the control API', () => {
  it.each([
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
    const test = await start()
    const answer = await test.control(target, body)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.body).toMatchObject({ status })
  })

  it('need the control token, but for health and readiness', async () => {
    const test = await start()
    const status = async (path: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${test.service.control.url}${path}`, { headers })).status
    }
    expect(await status('/jobs', test.service.token)).toBe(401)
    expect(await status('/health', 'none')).toBe(200)
    expect(await status('/ready', 'none')).toBe(200)
  })

  it('take JSON alone', async () => {
    const test = await start()
    const headers = { authorization: `Bearer ${test.service.control.token}`, 'content-type': 'text/plain' }
    const answer = await fetch(`${test.service.control.url}/clock/advance`, {
      method: 'POST',
      headers,
      body: '{"ms":1}',
    })
    expect(answer.status).toBe(415)
  })
})

describe('the clock', () => {
  it('frozen: no job goes on, not after a restart either, until it is thawed', async () => {
    const test = await start()
    const frozen = (await test.control('POST /clock/freeze')).body
    expect(frozen).toMatchObject({ frozen: true })
    const id = await begin(test)
    await test.restart()
    expect((await test.control('GET /clock')).body).toMatchObject({ frozen: true, now: frozen.now })
    expect(await statusOf(test, id)).toBe('PENDING')
    expect((await test.control('POST /clock/thaw')).body.frozen).toBe(false)
    await expect.poll(() => statusOf(test, id)).toBe('SUCCESS')
  })

  it.each(['freeze', 'thaw'])('advanced after %s: runs every job that falls due on the way', async (state) => {
    const test = await start({ network: slow })
    await test.control(`POST /clock/${state}`)
    const id = await begin(test)
    const advance = async (ms: number) => {
      await test.control('POST /clock/advance', { ms })
      return statusOf(test, id)
    }
    expect(await advance(HOUR - 1000)).toBe('PENDING')
    expect(await advance(1000)).toBe('READY')
    expect(await advance(2 * HOUR)).toBe('SUCCESS')
    const offset = (await test.control('GET /clock')).body.offsetMs
    expect(offset).toBeGreaterThan(3 * HOUR - 10_000)
    await test.restart()
    expect((await test.control('GET /clock')).body.offsetMs).toBeGreaterThan(3 * HOUR - 10_000)
  })
})

describe('jobs', () => {
  it('held: stays where it is, over a restart too, and goes on when it is released', async () => {
    const test = await start({ network: { ...slow, latencies: { PENDING: 200, READY: 1, RUNNING: 1 } } })
    const id = await begin(test)
    expect((await test.control(`POST /jobs/${id}/hold`)).body).toEqual({ id, done: 'hold', status: 'PENDING' })
    await test.restart()
    expect((await test.control('GET /jobs?active=true')).body.jobs).toMatchObject([{ id, held: true, dueAt: null }])
    await test.control('POST /clock/advance', { ms: HOUR })
    expect(await statusOf(test, id)).toBe('PENDING')
    await test.control(`POST /jobs/${id}/release`)
    await expect.poll(() => statusOf(test, id)).toBe('SUCCESS')
    expect((await test.control(`POST /jobs/${id}/release`)).status).toBe(409)
  })

  it('stepped: takes one state at a time, its work included', async () => {
    const test = await start({ network: slow })
    const id = await begin(test)
    await test.control(`POST /jobs/${id}/hold`)
    const step = async () => (await test.control(`POST /jobs/${id}/step`)).body.status
    expect([await step(), await step(), await step()]).toEqual(['READY', 'RUNNING', 'SUCCESS'])
    expect((await test.control(`POST /jobs/${id}/step`)).status).toBe(409)
  })

  it('held while it is at work: keeps what it made for the step', async () => {
    let begun = 0
    const work = Promise.withResolvers<void>()
    const engine = createFakeEngine({
      beforeWork: () => {
        begun++
        return work.promise
      },
    })
    const test = await start({ engine })
    const id = await begin(test)
    await expect.poll(() => begun).toBe(1)
    await test.control(`POST /jobs/${id}/hold`)
    work.resolve()
    await expect.poll(() => readdir(join(test.dataDir, 'sets'))).toEqual([`${id}-segment.parquet`])
    await test.control('POST /clock/advance', { ms: HOUR })
    expect(await statusOf(test, id)).toBe('RUNNING')
    expect((await test.control(`POST /jobs/${id}/step`)).body.status).toBe('SUCCESS')
    expect(begun).toBe(1)
  })

  it('do not step past a person', async () => {
    const test = await start()
    const segmentId = await test.segment('a', 'ann 2002 CABLE')
    const { body } = await test.send('POST /api/segments/share', { body: { segmentId, partnerId: 2002 } })
    await expect.poll(() => statusOf(test, body.id)).toBe('PENDING_APPROVAL')
    expect((await test.control(`POST /jobs/${body.id}/step`)).status).toBe(409)
    expect((await test.control(`POST /jobs/${body.id}/approve`)).status).toBe(200)
    await expect.poll(() => statusOf(test, body.id)).toBe('SUCCESS')
  })

  it('are listed, newest first, with why they failed', async () => {
    const test = await start()
    await test.segment('a', 'ann')
    await test.upload('empty.csv', '')
    const { id } = await test.job('POST /api/segments', newSegment('empty'))
    const { jobs } = (await test.control('GET /jobs?participant=1001&kind=segments.create')).body
    expect(jobs).toMatchObject([
      { id, status: 'FAILED', failure: 'the file is empty', kind: 'segments.create', participant: 1001, held: false },
      { status: 'SUCCESS', failure: null },
    ])
    expect((await test.control('GET /jobs?status=FAILED&limit=1')).body.jobs).toHaveLength(1)
    expect((await test.control('GET /jobs?active=true')).body.jobs).toEqual([])
  })
})

describe('the state', () => {
  it('is reset to the first start: ids, files and clock, but not tokens and snapshots', async () => {
    const test = await start()
    const segmentId = await test.segment('a', 'ann 2001 CABLE')
    await matchOf(test, segmentId)
    await test.control('POST /snapshots/kept')
    await test.control('POST /clock/advance', { ms: HOUR })
    await test.control('POST /faults', { operation: 'files.list', action: 'status', status: 500 })
    expect((await test.control('POST /reset')).body).toEqual({ done: 'reset' })
    expect(await dump(test)).toEqual({ segments: [], matches: [], files: [], contents: [], sets: [] })
    expect((await test.control('GET /clock')).body).toMatchObject({ frozen: false, offsetMs: 0 })
    expect(await begin(test)).toBe('1')
    await expect.poll(() => statusOf(test, '1')).toBe('SUCCESS')
    await test.restart()
    expect(await statusOf(test, '1')).toBe('SUCCESS')
    expect((await test.control('GET /snapshots')).body.snapshots).toMatchObject([{ name: 'kept' }])
  })

  it('is restored as it was, files and jobs under way too, whatever has happened since', async () => {
    const test = await start({ network: { ...testNetwork, latencies: { PENDING: 100, READY: 1, RUNNING: 1 } } })
    const segmentId = await test.segment('a', 'ann 2001 CABLE')
    await matchOf(test, segmentId)
    const before = await dump(test)
    const id = await begin(test, 'b')
    expect((await test.control('POST /snapshots/before')).status).toBe(200)
    expect((await test.control('POST /snapshots/before')).status).toBe(409)

    await test.control('POST /reset')
    // The same ids with different content.
    const other = await test.segment('z', 'zoe 2001 CABLE')
    await matchOf(test, other)
    expect((await test.control('POST /snapshots/before/restore')).status).toBe(200)

    await expect.poll(() => statusOf(test, id)).toBe('SUCCESS')
    await test.restart()
    const after = await dump(test)
    expect(after).toMatchObject({ matches: before.matches, segments: expect.arrayContaining(before.segments) })
    expect(after.files).toEqual(['a.csv', 'b.csv'])
    expect([after.contents, after.sets].map((list) => list.length)).toEqual([2, 3])
    expect(await matchOf(test, segmentId)).toMatchObject({ status: 'SUCCESS' })
    expect((await test.control('DELETE /snapshots/before')).status).toBe(200)
    expect(await dump(test)).toMatchObject({ files: after.files })
  })

  it('a restore that a crash interrupted is ended by the next start; half a snapshot is none', async () => {
    const test = await start()
    const segmentId = await test.segment('a', 'ann 2001 CABLE')
    await test.control('POST /snapshots/one')
    const before = await dump(test)
    await test.control('POST /reset')
    await test.segment('z', 'zoe')
    // As a crash leaves it: the marker exists, and nothing is replaced yet.
    await writeFile(join(test.dataDir, 'restoring'), 'one')
    await mkdir(join(test.dataDir, 'snapshots', 'two.part'))
    await test.restart()
    expect(await dump(test)).toEqual(before)
    expect((await test.send(`GET /api/segments/${segmentId}`)).status).toBe(200)
    expect((await test.control('GET /snapshots')).body.snapshots).toHaveLength(1)
    expect(existsSync(join(test.dataDir, 'restoring'))).toBe(false)
  })

  it('an upload that was under way is not lost by a reset', async () => {
    const test = await start()
    await test.upload('old.csv', 'x')
    const uploading = fetch(`${test.service.url}/api/files?uploadSignal=EMAIL&resultContent=BGID`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${test.service.token}`,
        accept: 'application/vnd.service.v1+json',
        'content-type': 'multipart/form-data; boundary=b',
      },
      duplex: 'half',
      body: new ReadableStream({
        async start(controller) {
          controller.enqueue(
            Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="new.csv"\r\n\r\nann'),
          )
          await expect.poll(() => readdir(join(test.dataDir, 'files'))).toHaveLength(2)
          await test.control('POST /reset')
          controller.enqueue(Buffer.from('\r\n--b--\r\n'))
          controller.close()
        },
      }),
    } as RequestInit)
    expect((await uploading).status).toBe(200)
    const [content, ...more] = (await dump(test)).contents
    expect([more, await readFile(join(test.dataDir, 'files', String(content)), 'utf8')]).toEqual([[], 'ann'])
  })

  it('waits for jobs that are at work', async () => {
    const work = Promise.withResolvers<void>()
    let begun = 0
    const engine = createFakeEngine({
      beforeWork: () => {
        begun++
        return work.promise
      },
    })
    const test = await start({ engine })
    await begin(test)
    await expect.poll(() => begun).toBe(1)
    const reset = test.control('POST /reset')
    work.resolve()
    expect((await reset).status).toBe(200)
    expect((await dump(test)).sets).toEqual([])
  })
})

describe('what others need', () => {
  it('lists the participants, each with an address and a token that work', async () => {
    const test = await start()
    const { participants } = (await test.control('GET /participants')).body
    expect(participants.map((one: { id: number }) => one.id)).toEqual(testNetwork.participants.map(({ id }) => id))
    for (const { baseUrl, token } of participants) {
      const headers = { authorization: `Bearer ${token}`, accept: '*/*' }
      expect((await fetch(`${baseUrl}/api/groups`, { headers })).status).toBe(200)
    }
  })

  it('says what the network file says of participants and groups, with ids to the last digit', async () => {
    const test = await start()
    const { participants } = (await test.control('GET /participants')).body
    expect(participants.find(({ id }: { id: number }) => id === 2005)).toMatchObject({
      name: 'Has a scope of its own',
      approval: 'auto',
      deliveryScopes: ['CABLE', 'CUSTOM_1'],
      customDeliveryScopesDetail: [{ label: 'Sports', value: 'CUSTOM_1' }],
      minimumSegmentSize: 0,
    })
    const { groups } = (await test.control('GET /groups')).body
    expect(groups[0]).toMatchObject({
      groupName: 'Cable',
      features: ['AGGREGATED_MATCH'],
      groupMembers: [2001, 2005, 2006],
    })
    expect(groups.map(({ groupId }: { groupId: string }) => groupId)).toContain('9007199254740993')
  })

  it('lists segments, matches and activations of all participants, newest first, deleted segments not', async () => {
    const test = await start()
    const segmentId = await test.segment('a', 'ann 2001 CABLE\nben 2001 CABLE\ncat')
    const other = await test.segment('b', 'ann 2001 CABLE')
    const { matchId, id: matchJobId } = await matchOf(test, segmentId)
    const inGroup = await test.job('POST /api/segments/match', {
      segmentId: other,
      groupId: 9001,
      deliveryScopes: ['CABLE'],
    })
    const asked = { activationName: 'Autumn', segmentId, matchJobId, refreshRate: 30, actionType: 'REQUEST' }
    const { activationId } = await test.job('POST /api/activations', asked)
    expect((await test.control('GET /segments')).body.segments).toMatchObject([
      { id: other, owner: 1001, members: 1 },
      { id: segmentId, owner: 1001, state: 'live', uploadSignal: 'EMAIL', members: 3 },
    ])
    expect((await test.control('GET /matches')).body.matches).toMatchObject([
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
    expect((await test.control('GET /activations')).body.activations).toMatchObject([
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
    expect((await test.control('GET /matches?limit=1')).body.matches).toHaveLength(1)
    await test.send(`DELETE /api/segments/${other}`)
    expect((await test.control('GET /segments')).body.segments).toMatchObject([{ id: segmentId }])
  })

  it('says which operations can fail in which way', async () => {
    const test = await start()
    const { operations } = (await test.control('GET /faults')).body
    const actionsOf = (wanted: string) =>
      operations.find(({ operation }: { operation: string }) => operation === wanted).actions
    expect(actionsOf('*')).toEqual(expect.arrayContaining(['lag', 'duplicate', 'status']))
    expect(actionsOf('segments.list')).toContain('duplicate')
    expect(actionsOf('segments.list')).not.toContain('lag')
    expect(actionsOf('segments.create')).toContain('lag')
  })

  it('exports a match as CSV, and leaves no file behind', async () => {
    const test = await start()
    const segmentId = await test.segment('a', 'ann 2001 CABLE\nben 2001 CABLE\ncat')
    const { matchId } = await matchOf(test, segmentId)
    const answer = await test.control(`GET /matches/${matchId}/set`)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.text.split('\n')).toEqual(['ann 2001 CABLE', 'ben 2001 CABLE'])
    expect((await test.control(`GET /matches/${matchId}/set?part=test`)).status).toBe(409)
    await expect.poll(() => readdir(join(test.dataDir, 'tmp', 'exports'))).toEqual([])
  })

  it('keeps a journal of the requests, without what might be secret', async () => {
    const test = await start()
    await test.upload('a.csv', 'ann')
    await test.control('DELETE /requests')
    const { token } = test.service
    await test.send(`GET /api/segments?page=1&access_token=${token}`)
    await test.send('POST /api/segments', { body: {}, headers: { authorization: 'Bearer wrong' } })
    await test.send('GET /api/jobs/4711', { as: 2001 })
    await test.send('GET /elsewhere')
    const { requests } = (await test.control('GET /requests')).body
    expect(requests).toMatchObject([
      { participant: null, operation: null, path: '/p/1001/elsewhere', status: 404 },
      { participant: 2001, operation: 'jobs.get', path: '/api/jobs/4711', status: 404, bodyBytes: 0, fault: null },
      { participant: 1001, operation: 'segments.create', method: 'POST', status: 401, bodyBytes: 2 },
      { operation: 'segments.list', query: { page: ['1'] }, status: 200, requestId: expect.any(String) },
    ])
    expect(JSON.stringify(requests)).not.toContain(token)
    expect((await test.control('GET /requests?operation=jobs.get')).body.requests).toHaveLength(1)
    expect((await test.control('GET /requests?participant=1001&limit=1')).body.requests).toHaveLength(1)
  })
})

/** What the service shows, and the files that it stores. */
async function dump(test: TestService) {
  const list = async (path: string, key: string) => (await test.send(`GET ${path}`)).body[key]
  const names = async (folder: string) => (await readdir(join(test.dataDir, folder))).sort()
  const files: { name: string }[] = await list('/api/files?uploadSignal=EMAIL&resultContent=BGID', 'files')
  return {
    segments: await list('/api/segments', 'segments'),
    matches: await list('/api/segments/match', 'matches'),
    files: files.map(({ name }) => name),
    contents: await names('files'),
    sets: await names('sets'),
  }
}
