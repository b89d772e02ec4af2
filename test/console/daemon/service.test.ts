import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { embeddedService } from '../../support/daemon.ts'
import { givePeople } from '../../support/people.ts'
import { PARTNER_DOCUMENTS } from '../documents.ts'
import { type Answered, type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'

let bench: ConsoleBench
const folder = mkdtempSync(join(tmpdir(), 'audience-service-view-'))

beforeAll(async () => {
  await givePeople(join(folder, 'state'))
  bench = await startConsoleBench(PARTNER_DOCUMENTS, { folder })
})
afterAll(async () => {
  await bench?.stop()
  rmSync(folder, { recursive: true, force: true })
})

type Row = Readonly<Record<string, unknown>>

const read = async (path: string) => (await bench.as('viewer', `service/${path}`)).body
const rows = async (path: string) => (await read(path))[path.split('?')[0] ?? ''] as readonly Row[]
const act = (path: string, json: object = {}) => bench.post('operator', `service/${path}`, json)
const outcome = ({ status, body }: Answered) => `${status} ${body.code ?? ''}`
const audited = async (by: string) => {
  const { body } = await bench.as('viewer', `audit?by=${encodeURIComponent(by)}`)
  return (body.entries as Row[]).map(({ act: name, subject, detail, comment, outcome: end }) =>
    [name, subject, detail, comment, end].filter((part) => part !== undefined).join(', '),
  )
}
const start = async () => String((await bench.post('operator', 'runs', { pipeline: 'partner' })).body.runId)
const untilStatus = (runId: string, status: string) =>
  expect.poll(async () => ((await bench.as('viewer', `runs/${runId}`)).body.run as Row).status).toBe(status)
/** The newest job, as soon as it is the wanted one. */
const untilJob = async (wanted: Row) => {
  await expect.poll(async () => (await rows('jobs'))[0]).toMatchObject(wanted)
  return String((await rows('jobs'))[0]?.id)
}

describe('what the service plays', () => {
  test('participants and groups, with ids to the last digit and without tokens', async () => {
    const participants = await rows('participants')
    expect(participants[0]).toMatchObject({ id: 1001, name: 'Amber Motors media desk', approval: 'auto' })
    expect(participants.find(({ id }) => id === 2005)).toMatchObject({ approval: 'manual' })
    const { url, token, control } = embeddedService(bench.project)
    expect(participants[0]?.baseUrl).toBe(url)
    const answers = await fetch(`${control.url}/participants`, {
      headers: { authorization: `Bearer ${control.token}` },
    })
    const { participants: whole } = (await answers.json()) as { participants: { token: string }[] }
    const text = JSON.stringify(participants)
    expect(whole.map((one) => one.token)).toContain(token)
    for (const secret of [...whole.map((one) => one.token), control.token]) expect(text).not.toContain(secret)
    expect((await rows('groups')).map(({ groupId }) => groupId)).toContain('9007199254740993')
  })

  test('nothing but what the API names is passed on', async () => {
    for (const path of [
      'reset',
      'snapshots/a',
      'clock/freeze',
      'jobs/1/cancel',
      'jobs/1/step',
      'matches/1/set',
      'faults',
    ])
      for (const method of ['GET', 'POST', 'DELETE']) {
        if (path === 'faults' && method !== 'DELETE') continue
        const { status } = await bench.as('approver', `service/${path}`, { method })
        expect([path, method, [404, 405].includes(status)]).toEqual([path, method, true])
      }
    expect(outcome(await act('jobs/1/acts', { act: 'cancel' }))).toBe('400 bad-request')
    expect(outcome(await act('clock', { act: 'reset' }))).toBe('400 bad-request')
    expect(outcome(await act('faults/f1%2F..%2F/remove'))).toBe('400 bad-request')
  })
})

describe('a match that waits for its partner', () => {
  test('is shown with its job, held, released and approved; a second approval is refused', async () => {
    const runId = await start()
    const jobId = await untilJob({ kind: 'matches.create', status: 'PENDING_APPROVAL', held: false })
    const asked = { counterpart: 'partner 2005' }
    const run = async () => (await bench.as('viewer', `runs/${runId}`)).body.run
    await expect.poll(run).toMatchObject({ status: 'running', partnerWaits: { ...asked, steps: 1, partners: 1 } })
    expect((await bench.as('viewer', `runs/${runId}/steps`)).body.steps).toContainEqual(
      expect.objectContaining({ ref: 'match', partnerWaits: expect.objectContaining(asked) }),
    )
    expect((await bench.as('viewer', 'overview')).body.partnerWaits).toMatchObject([{ runId, ref: 'match', ...asked }])
    expect((await rows('matches'))[0]).toMatchObject({
      requester: 1001,
      approver: 2005,
      status: 'PENDING_APPROVAL',
      matchCount: 0,
    })
    expect((await rows('segments'))[0]).toMatchObject({ owner: 1001, state: 'live', segmentName: 'Winter travellers' })
    expect(await rows('jobs?status=PENDING_APPROVAL')).toHaveLength(1)
    expect(await rows('jobs?active=true&participant=2005')).toEqual([])
    expect((await act(`jobs/${jobId}/acts`, { act: 'hold' })).body).toEqual({ id: jobId, status: 'PENDING_APPROVAL' })
    expect((await act(`jobs/${jobId}/acts`, { act: 'approve', reason: 'as agreed' })).status).toBe(200)
    expect((await rows('jobs'))[0]).toMatchObject({ id: jobId, held: true })
    expect(outcome(await act(`jobs/${jobId}/acts`, { act: 'approve' }))).toBe('409 service-not-now')
    expect((await act(`jobs/${jobId}/acts`, { act: 'release' })).status).toBe(200)
    await untilStatus(runId, 'succeeded')
    expect(await run()).not.toHaveProperty('partnerWaits')
    const [match] = await rows('matches')
    expect(match).toMatchObject({ id: jobId, status: 'FINISHED' })
    expect(match?.matchCount).toBeGreaterThan(0)
    expect(outcome(await act(`jobs/${jobId}/acts`, { act: 'hold' }))).toBe('409 service-not-now')
    expect((await audited('the operator')).slice(0, 5)).toEqual([
      `service.job, job ${jobId}, hold, service-not-now`,
      `service.job, job ${jobId}, release, done`,
      `service.job, job ${jobId}, approve, service-not-now`,
      `service.job, job ${jobId}, approve, as agreed, done`,
      `service.job, job ${jobId}, hold, done`,
    ])
  })

  test.each([
    [{ act: 'reject' }, 'REJECTED'],
    [{ act: 'fail' }, 'FAILED'],
    [{ act: 'fail', partially: true }, 'PARTIAL_SUCCESS'],
  ])('%j ends the job, and the run fails', async (asked, status) => {
    const runId = await start()
    const jobId = await untilJob({ kind: 'matches.create', status: 'PENDING_APPROVAL' })
    expect((await act(`jobs/${jobId}/acts`, asked)).body).toEqual({ id: jobId, status })
    await untilStatus(runId, 'failed')
  })

  test('a job that there is not', async () => {
    const { status, body } = await act('jobs/4711/acts', { act: 'hold' })
    expect([status, body.code, body.message]).toEqual([404, 'service-not-found', 'there is no job "4711"'])
  })
})

describe('faults', () => {
  test('are switched on, met, seen in the journal, and switched off', async () => {
    const { operations } = await read('faults')
    expect(operations).toContainEqual({ operation: 'groups.list', actions: expect.arrayContaining(['duplicate']) })
    const spec = { operation: 'groups.list', action: 'status', status: 503, times: 1 }
    const { body } = await act('faults', { ...spec, reason: 'a drill' })
    expect(body).toEqual({ id: expect.stringMatching(/^f\d+$/), ...spec, seen: 0, applied: 0 })
    const { url, token } = embeddedService(bench.project)
    const headers = { authorization: `Bearer ${token}`, accept: '*/*' }
    expect((await fetch(`${url}/api/groups`, { headers })).status).toBe(503)
    expect((await rows('requests?operation=groups.list&limit=1'))[0]).toMatchObject({
      participant: 1001,
      status: 503,
      fault: { rule: body.id, action: 'status' },
    })
    expect((await rows('faults')).find(({ id }) => id === body.id)).toMatchObject({ seen: 1, applied: 1 })
    expect((await act(`faults/${body.id}/remove`)).body).toEqual({ id: body.id })
    expect(await rows('faults')).toEqual([])
    expect(outcome(await act(`faults/${body.id}/remove`))).toBe('404 service-not-found')
    expect((await audited('the operator')).slice(0, 3)).toEqual([
      `service.fault, fault ${body.id}, off, service-not-found`,
      `service.fault, fault ${body.id}, off, done`,
      'service.fault, groups.list, on, action status, status 503, times 1, a drill, done',
    ])
  })

  test('that do not fit are refused, with the reason', async () => {
    const refused = async (spec: object) => {
      const { status, body } = await act('faults', spec)
      return `${status} ${body.code}: ${body.message}`
    }
    expect(await refused({ operation: 'groups.get', action: 'delay' })).toBe(
      '400 service-refused: delayMs is required with the action delay or lag',
    )
    expect(await refused({ operation: 'groups.get', action: 'lag', delayMs: 5 })).toMatch(
      /^400 service-refused: operation/,
    )
    expect(await refused({ operation: 'nothing', action: 'status', status: 500 })).toMatch(
      /^400 bad-request: operation/,
    )
  })
})

test('the clock stands still, goes forward and goes on', async () => {
  const frozen = (await act('clock', { act: 'freeze' })).body
  expect(frozen).toMatchObject({ frozen: true })
  expect((await read('clock')).now).toBe(frozen.now)
  const advanced = (await act('clock', { act: 'advance', ms: 3_600_000, reason: 'an hour later' })).body
  expect(Date.parse(String(advanced.now)) - Date.parse(String(frozen.now))).toBe(3_600_000)
  expect((await act('clock', { act: 'thaw' })).body).toMatchObject({ frozen: false })
  expect((await act('clock', { act: 'advance' })).body).toMatchObject({
    code: 'service-refused',
    message: 'ms is required',
  })
  expect((await act('clock', { act: 'freeze', ms: 1 })).body).toMatchObject({ code: 'service-refused' })
  expect((await audited('the operator')).slice(2, 5)).toEqual([
    'service.clock, clock, thaw, done',
    'service.clock, clock, advance 3600000 ms, an hour later, done',
    'service.clock, clock, freeze, done',
  ])
})

test('a viewer only looks, and the refusal is in the audit log', async () => {
  for (const path of ['clock', 'faults', 'faults/f1/remove', 'jobs/1/acts'])
    expect([path, outcome(await bench.post('viewer', `service/${path}`))]).toEqual([path, '403 role-missing'])
  expect(await audited('the viewer')).toEqual([
    'service.job, job 1, , role-missing',
    'service.fault, fault f1, off, role-missing',
    'service.fault, , on, role-missing',
    'service.clock, clock, , role-missing',
  ])
})

describe('a service that does not answer as it should', () => {
  /** Another service in place of the embedded one. */
  const standIn = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> => {
    const server = createServer(answer)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const file = join(folder, 'state/service/endpoint.json')
    const before = readFileSync(file, 'utf8')
    const endpoint = JSON.parse(before) as { control: object }
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_control`
    writeFileSync(file, JSON.stringify({ ...endpoint, control: { ...endpoint.control, url } }))
    onTestFinished(() => {
      writeFileSync(file, before)
      server.closeAllConnections()
      server.close()
    })
    return server
  }

  test('gone: nothing was sent', async () => {
    const server = await standIn(() => undefined)
    await new Promise((resolve) => server.close(resolve))
    expect(outcome(await bench.as('viewer', 'service/jobs'))).toBe('502 service-gone')
    expect(outcome(await act('clock', { act: 'freeze' }))).toBe('502 service-gone')
    expect((await audited('the operator'))[0]).toBe('service.clock, clock, freeze, service-gone')
  })

  test('ends the connection: an act may have happened, and the answer says so', async () => {
    await standIn((request) => request.socket.destroy())
    expect(outcome(await bench.as('viewer', 'service/jobs'))).toBe('502 service-gone')
    const { status, body } = await act('clock', { act: 'freeze' })
    expect([status, body.code, body.message]).toEqual([
      502,
      'service-lost',
      'the embedded service did not answer; the request may have taken effect',
    ])
    expect((await audited('the operator'))[0]).toBe('service.clock, clock, freeze, service-lost')
  })

  test('of another version', async () => {
    await standIn((_request, response) => response.end('{"participants":[{"id":1001,"token":"secret"}]}'))
    expect(outcome(await bench.as('viewer', 'service/participants'))).toBe('502 service-unreadable')
  })

  test('fails', async () => {
    await standIn((_request, response) => {
      response.statusCode = 500
      response.end('<html>')
    })
    const { status, body } = await bench.as('viewer', 'service/groups')
    expect([status, body.code, body.message]).toEqual([
      502,
      'service-failed',
      'the embedded service answered with status 500',
    ])
  })
})

test('a daemon of another service has none of it, and says why', async () => {
  const config = `profile: far
profiles:
  far: { baseUrl: "http://127.0.0.1:9/p/1", token: a-token-of-a-service }`
  const other = await startConsoleBench({}, { config })
  onTestFinished(() => other.stop())
  for (const answered of [
    await other.as('viewer', 'service/clock'),
    await other.as('viewer', 'service/jobs'),
    await other.post('operator', 'service/clock', { act: 'freeze' }),
  ])
    expect([outcome(answered), answered.body.message]).toEqual([
      '404 not-embedded',
      'this console belongs to http://127.0.0.1:9/p/1 (profile far); only the embedded service can be inspected',
    ])
  expect((await other.as('viewer', 'me')).body.synthetic).toBe(false)
})
