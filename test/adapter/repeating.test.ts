import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import type { ApiClientSettings } from '../../src/adapter/create-api-client.ts'
import type { OperationId } from '../../src/contract/operations.ts'
import { fakeClock } from './fake-clock.ts'
import { type Reply, scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const JOB = { id: '7', status: 'READY' }
const promised: Reply = { json: { ...JOB, segmentName: 'a', matchId: 1, name: 'a', ActivationId: '1' } }
/** The success answer of an operation: a delete has no body. */
const doneOf = (id: string): Reply => (id.endsWith('.delete') ? {} : promised)

const match = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
const inputs = {
  'jobs.get': { jobId: '7' },
  'segments.create': {
    segmentFileName: 'a',
    participantSegmentId: 'a',
    segmentName: 'a',
    uploadSignal: 'BGID',
    resultContent: 'BGID',
  },
  'segments.update': { id: '7', segmentName: 'a' },
  'segments.refresh': { id: '1' },
  'segments.share': { segmentId: '1', partnerId: 5 },
  'segments.delete': { id: '7' },
  'matches.create': match,
  'matches.testControl': { matchId: '1', shaveOffPercent: 1 },
  'matches.refresh': { matchId: '1' },
  'activations.create': {
    activationName: 'a',
    segmentId: 's',
    matchJobId: '1',
    refreshRate: 30,
    actionType: 'REQUEST',
  },
  'activations.delete': { id: '1' },
} as const satisfies Partial<Record<OperationId, object>>
type Tried = keyof typeof inputs

const NEVER_BLINDLY = [
  'segments.create',
  'segments.refresh',
  'segments.share',
  'matches.create',
  'matches.testControl',
  'matches.refresh',
  'activations.create',
] as const satisfies Tried[]
const ALWAYS = ['jobs.get', 'segments.update', 'segments.delete', 'activations.delete'] as const satisfies Tried[]

/** Calls an operation against the script; returns how often the service saw it, and the result. */
async function tried(
  id: Tried,
  script: readonly (Reply | 'done')[],
  { random = () => 1, limits = {} }: Pick<Partial<ApiClientSettings>, 'random' | 'limits'> = {},
) {
  const clock = fakeClock()
  await using server = await scriptedServer(script.map((reply) => (reply === 'done' ? doneOf(id) : reply)))
  await using client = testClient(server.url, { clock, random, limits })
  const error = await client.api.untyped.call(id, inputs[id]).then(
    () => undefined,
    (reason: Error) => reason,
  )
  return { error, requests: server.seen.length, sleeps: clock.sleeps, logs: client.logs }
}

test.each(
  NEVER_BLINDLY.flatMap((id) => [
    [id, 'reset'] as const,
    [id, { status: 500 }] as const,
    [id, { status: 503 }] as const,
    [id, { status: 503, headers: { 'retry-after': '2' } }] as const,
    [id, { status: 408 }] as const,
    [id, { status: 425 }] as const,
  ]),
)('%s is seen once after %j, and its outcome is unknown (decisions 136 and 151)', async (id, failure) => {
  const { error, requests } = await tried(id, [failure, 'done'])
  expect(requests).toBe(1)
  expect(error).toMatchObject({
    request: { operation: id, outcome: 'unknown' },
    hint: expect.stringContaining('took effect'),
  })
})

test.each(ALWAYS.flatMap((id) => [[id, 'reset'] as const, [id, { status: 502 }] as const]))(
  '%s is repeated after %j',
  async (id, failure) => {
    expect(await tried(id, [failure, failure, 'done'])).toMatchObject({ error: undefined, requests: 3 })
  },
)

test.each([...NEVER_BLINDLY, ...ALWAYS])(
  '%s is repeated after what did certainly nothing: 429, one 401',
  async (id) => {
    const script = [{ status: 429 }, { status: 401 }, 'done'] as const
    expect(await tried(id, script)).toMatchObject({ error: undefined, requests: 3 })
  },
)

test.each([...NEVER_BLINDLY, ...ALWAYS])(
  '%s is repeated after a 503 with Retry-After where the service documents that such a one did nothing',
  async (id) => {
    const script = [{ status: 503, headers: { 'retry-after': '2' } }, 'done'] as const
    const limits = { retryAfterMeansRefused: true }
    expect(await tried(id, script, { limits })).toMatchObject({ error: undefined, requests: 2 })
    expect(await tried(id, [{ status: 503 }, 'done'], { limits })).toMatchObject({
      requests: (NEVER_BLINDLY as readonly string[]).includes(id) ? 1 : 2,
    })
  },
)

test.each([
  [400, 1],
  [401, 2],
  [403, 1],
  [404, 1],
  [409, 1],
])('status %i is sent %i times', async (status, requests) => {
  expect(await tried('jobs.get', [{ status }])).toMatchObject({
    requests,
    error: { request: { status, outcome: 'rejected' } },
  })
})

test('what cannot be connected is not sent, and tried again until the attempts are used up', async () => {
  const clock = fakeClock()
  await using client = testClient(await closedPort(), { clock, random: () => 1 })
  const error = await client.api.matches.create(match).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'unreachable', kind: 'unavailable', request: { outcome: 'notSent' } })
  expect(String(error)).toMatch(/could not be sent: .*ECONNREFUSED/)
  expect(clock.sleeps).toEqual([250, 500, 1000, 2000])
})

test('the delay is drawn from nothing to the backoff (full jitter)', async () => {
  const failing: Reply[] = [{ status: 500 }]
  expect((await tried('jobs.get', failing, { random: () => 0 })).sleeps).toEqual([0, 0, 0, 0])
  expect((await tried('jobs.get', failing, { random: () => 0.5 })).sleeps).toEqual([125, 250, 500, 1000])
})

/** The time on the service's clock, which is far from ours. */
const HOUR_MS = 3_600_000

test.each([
  ['seconds', () => '7'],
  ['a date', (now: number) => new Date(now + 7000).toUTCString()],
])('Retry-After as %s is waited for (decision 11)', async (_name, header) => {
  const { sleeps, requests } = await tried('jobs.get', [
    { status: 429, headers: { 'retry-after': header(HOUR_MS), date: new Date(HOUR_MS).toUTCString() } },
    'done',
  ])
  expect(requests).toBe(2)
  expect(sleeps[0]).toBe(7250)
})

test.each([
  ['3600', 3_600_000, '1 h 00 min'],
  ['1000000000', 1e12, '11574 d 1 h'],
  ['9'.repeat(400), 365_000 * 86_400_000, '365000 d 0 h'],
  ['Fri, 31 Dec 99999 23:59:59 GMT', 365_000 * 86_400_000, '365000 d 0 h'],
])('a Retry-After of %s is not waited for, and told (decision 156)', async (header, retryAfterMs, told) => {
  for (const status of [429, 503]) {
    const { error, requests, sleeps } = await tried('jobs.get', [{ status, headers: { 'retry-after': header } }])
    expect({ requests, sleeps }).toEqual({ requests: 1, sleeps: [] })
    expect(error).toMatchObject({ retryAfterMs, request: { outcome: 'rejected' } })
    expect(error?.message).toContain(`the service says to try again in ${told}, which is too long to wait here`)
  }
})

test.each(['segments.delete', 'activations.delete'] as const)(
  '%s is done when a repeated attempt finds nothing',
  async (id) => {
    // The third request checks whether it is gone, because a 404 may come from anybody.
    expect(await tried(id, ['reset', { status: 404 }])).toMatchObject({ error: undefined, requests: 3 })
    expect(await tried(id, ['reset', { status: 404 }, promised])).toMatchObject({
      error: { request: { outcome: 'unknown' } },
      requests: 3,
    })
    expect(await tried(id, [{ status: 429 }, { status: 404 }])).toMatchObject({ error: { code: 'not-found' } })
    expect(await tried(id, [{ status: 404 }])).toMatchObject({ error: { code: 'not-found' }, requests: 1 })
  },
)

test('what may have happened stays unknown, although a later attempt was refused', async () => {
  expect(await tried('segments.update', ['reset', { status: 400 }])).toMatchObject({
    error: { request: { status: 400, outcome: 'unknown' } },
    // The third request checks whether the segment is as requested.
    requests: 3,
  })
})

test('every repetition is logged with its reason', async () => {
  const { logs } = await tried('jobs.get', [{ status: 500, json: { detail: 'disk full' } }, 'done'])
  expect(logs).toEqual([
    expect.objectContaining({
      operation: 'jobs.get',
      attempt: 1,
      status: 500,
      outcome: 'unknown',
      detail: 'disk full',
    }),
  ])
})

test.each([
  ['aborted', () => new Error('stop'), 'interrupted'],
  ['deadline-exceeded', () => new DOMException('late', 'TimeoutError'), 'failed'],
])('a signal ends a call at once as %s, and a write that was sent is unknown', async (code, reason, kind) => {
  const abort = new AbortController()
  await using server = await scriptedServer([() => abort.abort(reason())])
  await using client = testClient(server.url)
  const error = await client.api.matches.create(match, { signal: abort.signal }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code, kind, request: { outcome: 'unknown' } })
  const late = await client.api.jobs.get({ jobId: '7' }, { signal: abort.signal }).catch((caught: unknown) => caught)
  expect(late).toMatchObject({ code, request: { outcome: 'notSent' } })
})

test('closing ends what is under way and what comes later', async () => {
  let arrived = () => {}
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve
  })
  await using server = await scriptedServer([() => arrived()])
  const { api } = testClient(server.url)
  const calls = [api.jobs.get({ jobId: '7' }), api.waitForJob('8', { timeoutMs: 240_000 })].map((call) =>
    call.catch((reason: unknown) => reason),
  )
  await arrival
  await api.close()
  const [call, waiting] = await Promise.all(calls)
  expect(call).toMatchObject({ code: 'aborted', kind: 'interrupted' })
  expect(String(waiting)).toContain('the API client was closed')
  await expect(api.jobs.get({ jobId: '7' })).rejects.toMatchObject({ code: 'aborted', request: { outcome: 'notSent' } })
})

/** An address that nobody listens on. */
async function closedPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

test('a read that always fails is tried five times, if nothing else is asked for', async () => {
  await using server = await scriptedServer([{ status: 503 }])
  await using client = testClient(server.url)
  await expect(client.api.jobs.get({ jobId: '7' })).rejects.toMatchObject({ request: { status: 503 } })
  expect(server.seen.length).toBe(5)
})
