import { expect, test } from 'vitest'
import type { WaitForJobOptions } from '../../src/adapter/api-client.ts'
import type { TokenProvider } from '../../src/adapter/tokens.ts'
import { fakeClock } from './fake-clock.ts'
import { type Reply, scriptedServer } from './scripted-server.ts'
import { settled } from './stepped-clock.ts'
import { TOKEN, testClient } from './test-client.ts'

const HOUR_MS = 3_600_000

/** Waits for job 7 while the service answers according to the script; returns the result and the events. */
async function wait(script: readonly Reply[], options: Partial<WaitForJobOptions> = {}) {
  const clock = fakeClock()
  await using server = await scriptedServer(script)
  await using client = testClient(server.url, { clock })
  const statuses: string[] = []
  const startedAt = clock.now()
  const settled = await client.api
    .waitForJob('7', { timeoutMs: HOUR_MS, onStatus: (job) => statuses.push(job.status), ...options })
    .then(
      (job) => ({ job, error: undefined }),
      (error: Error) => ({ job: undefined, error }),
    )
  const warnings = client.logs.filter((line) => line.level === 40).map((line) => line.msg)
  return { ...settled, statuses, warnings, polls: server.seen.length, waitedMs: clock.now() - startedAt, clock }
}

const job = (status: string, ids: object = {}): Reply => ({ json: { id: '7', status, ...ids } })
const [pending, running, success] = [job('PENDING'), job('RUNNING'), job('SUCCESS', { segmentId: 's1' })]
const missing: Reply = { status: 404, json: { detail: 'job not found' } }

test('a job is polled until it succeeds, and every new status is told once (decision 20)', async () => {
  const result = await wait([pending, pending, running, success])
  expect(result.job).toEqual({ id: '7', status: 'SUCCESS', segmentId: 's1' })
  expect(result.statuses).toEqual(['PENDING', 'RUNNING', 'SUCCESS'])
})

test('a first answer that is terminal is not waited for (decision 35)', async () => {
  expect(await wait([success])).toMatchObject({ polls: 1, waitedMs: 0 })
})

test('a job is first looked at again after half a second, or after the time that is asked for', async () => {
  // The jitter of these clients is a tenth.
  expect((await wait([running, success])).waitedMs).toBe(450)
  const asked = (poll: object) => wait([running, success], { poll: poll as never })
  expect((await asked({ initialMs: 7000 })).waitedMs).toBe(6300)
  expect((await asked({ maxMs: 1000 })).waitedMs).toBe(450)
})

test.each([
  ['FAILED', 'job 7 ended as FAILED'],
  ['CANCELLED', 'job 7 ended as CANCELLED'],
  ['REJECTED', 'job 7 ended as REJECTED'],
  ['PARTIAL_SUCCESS', 'job 7 ended as PARTIAL_SUCCESS'],
])('%s is a failure that says what to do (decisions 42 and 123)', async (status, message) => {
  const { error } = await wait([running, job(status)])
  expect(error).toMatchObject({ code: 'job-failed', kind: 'failed', message })
  expect(error).toHaveProperty('hint', expect.stringMatching(/\w/))
})

test('PARTIAL_SUCCESS is a success where it is accepted (decision 123)', async () => {
  const result = await wait([job('PARTIAL_SUCCESS')], { accept: ['SUCCESS', 'PARTIAL_SUCCESS'] })
  expect(result.job?.status).toBe('PARTIAL_SUCCESS')
})

test('an unknown status is polled on, with one warning (decision 125)', async () => {
  const result = await wait([job('DREAMING'), job('DREAMING'), success])
  expect(result.job?.status).toBe('SUCCESS')
  expect(result.warnings).toEqual(['jobs.get: unknown status "DREAMING"'])
})

test('a new job may be unknown for 10 s (decision 127)', async () => {
  expect((await wait([missing, missing, missing, success])).job?.status).toBe('SUCCESS')
  const lost = await wait([missing])
  expect(lost.error).toMatchObject({ code: 'job-unknown', message: 'job 7 is not known to the service' })
  expect(lost.waitedMs).toBeCloseTo(10_000, 2)
})

test('a success without its id is read again, and is a success all the same (decisions 128, 139)', async () => {
  const late = await wait([job('SUCCESS', { segmentId: null }), job('SUCCESS', { segmentId: '' }), success], {
    resource: 'segmentId',
  })
  expect(late.job?.segmentId).toBe('s1')
  const never = await wait([job('SUCCESS')], { resource: 'matchId' })
  expect(never.job).toEqual({ id: '7', status: 'SUCCESS' })
  expect(never.polls).toBe(4)
})

test.each([
  ['an error of the service', { status: 500, body: '<h1>oops</h1>' }],
  ['a lost connection', 'reset'],
  ['a refused token', { status: 403 }],
  ['an answer that is no job', { json: { hello: 1 } }],
  ['truncated JSON', { body: '{"id":"7","sta' }],
] as const)('%s is a poll that failed, not a job that failed', async (_name, failure) => {
  expect((await wait([pending, failure, failure, failure, success])).job?.status).toBe('SUCCESS')
})

test('polls that fail up to the deadline end in a timeout that keeps the reason', async () => {
  const { error, waitedMs } = await wait([pending, { status: 500, json: { detail: 'disk full' } }], {
    timeoutMs: 60_000,
  })
  expect(error).toMatchObject({ code: 'job-timeout', message: 'job 7 was PENDING after 1 min 00 s of waiting' })
  expect(String(error?.cause)).toContain('disk full')
  expect(waitedMs).toBeCloseTo(60_000, 2)
})

test('an approval has its own deadline, which does not count against the job', async () => {
  const approval = job('PENDING_APPROVAL')
  const late = await wait([pending, approval], { timeoutMs: 60_000, approvalTimeoutMs: 24 * HOUR_MS })
  expect(late.error).toMatchObject({ code: 'approval-timeout' })
  expect(late.waitedMs).toBeGreaterThan(24 * HOUR_MS)
  expect(Math.max(...late.clock.sleeps)).toBeLessThanOrEqual(300_000)
  expect(late.clock.sleeps.at(-2)).toBeGreaterThanOrEqual(0.8 * 300_000)

  const approved = await wait([...Array.from({ length: 60 }, () => approval), running, success], {
    timeoutMs: 60_000,
    approvalTimeoutMs: 24 * HOUR_MS,
  })
  expect(approved.job?.status).toBe('SUCCESS')
})

test('aborting ends the waiting with the caller’s reason', async () => {
  const abort = new AbortController()
  const reason = new Error('enough')
  const { error } = await wait([pending], { signal: abort.signal, onStatus: () => abort.abort(reason) })
  expect(error).toBe(reason)
})

test('aborting during a poll is no poll that failed', async () => {
  const abort = new AbortController()
  await using server = await scriptedServer([() => abort.abort('enough')])
  await using client = testClient(server.url)
  const waiting = client.api.waitForJob('7', { timeoutMs: HOUR_MS, signal: abort.signal })
  await expect(waiting).rejects.toBe('enough')
  await settled()
  expect(client.logs).toEqual([])
})

test.each([
  ['the operation is known', 'segments.create', 4],
  ['it is not', undefined, 29],
] as const)('polls that earlier jobs show to be useless are left out where %s', async (_name, operation, polls) => {
  const clock = fakeClock(0)
  const endsAt = new Map<string, number>()
  await using server = await scriptedServer(({ url }) => {
    const id = url.slice(url.lastIndexOf('/') + 1)
    const endAt = endsAt.get(id) ?? clock.now() + 20_000
    endsAt.set(id, endAt)
    return { json: { id, status: clock.now() < endAt ? 'RUNNING' : 'SUCCESS' } }
  })
  await using client = testClient(server.url, { clock })
  const options = { timeoutMs: HOUR_MS, ...(operation && { operation }) }
  for (const id of ['1', '2', '3', '4', '5']) await client.api.waitForJob(id, options)
  const before = server.seen.length
  expect(before).toBe(5 * 29)
  await client.api.waitForJob('6', options)
  expect(server.seen.length - before).toBe(polls)
})

test('a thousand waits end within the budget, and one that is left is freed when the client closes', async () => {
  const clock = fakeClock(0)
  const begunAt: number[] = []
  const token: TokenProvider = {
    get() {
      begunAt.push(clock.now())
      return TOKEN
    },
    refused: () => {},
  }
  await using server = await scriptedServer(({ url }) => {
    const id = url.slice(url.lastIndexOf('/') + 1)
    return { json: { id, status: server.seen.length > 1000 && id !== 'last' ? 'SUCCESS' : 'RUNNING' } }
  })
  await using client = testClient(server.url, { clock, token, limits: { pollsPerSecond: 100 } })
  const last = client.api.waitForJob('last', { timeoutMs: HOUR_MS }).catch((reason: unknown) => reason)
  const waits = Array.from({ length: 1000 }, (_, id) => client.api.waitForJob(`${id}`, { timeoutMs: HOUR_MS }))
  expect(await Promise.all(waits)).toHaveLength(1000)
  expect(begunAt.filter((at, index) => index >= 100 && at < (begunAt[index - 100] ?? 0) + 1000)).toEqual([])
  await client.api.close()
  expect(String(await last)).toContain('the API client was closed')
  const late = client.api.waitForJob('late', { timeoutMs: HOUR_MS })
  await expect(late).rejects.toThrow('the API client was closed')
})

test('a job that no request can ask for is not waited for', async () => {
  await using server = await scriptedServer([])
  await using client = testClient(server.url, { clock: fakeClock(0) })
  const wait = client.api.waitForJob('..', { timeoutMs: HOUR_MS })
  await expect(wait).rejects.toMatchObject({ code: 'invalid-input', message: expect.stringContaining('jobId') })
})

test('polls leave half of the places to other calls', async () => {
  const held: (() => void)[] = []
  const twoHeld = Promise.withResolvers<void>()
  await using server = await scriptedServer(({ url }) => {
    if (!url.includes('/jobs/')) return { json: { groupId: 1 } }
    const job = { id: url.slice(-1), status: 'SUCCESS' }
    if (held.length === 2) return { json: job }
    return (_request, response) => {
      held.push(() => response.end(JSON.stringify(job)))
      if (held.length === 2) twoHeld.resolve()
    }
  })
  await using client = testClient(server.url, { limits: { concurrency: 4 } })
  const ids = ['1', '2', '3', '4', '5']
  const waits = Promise.all(ids.map((id) => client.api.waitForJob(id, { timeoutMs: HOUR_MS })))
  await twoHeld.promise
  await client.api.groups.get({ id: '1' })
  expect(server.seen.map(({ url }) => url.includes('/jobs/'))).toEqual([true, true, false])
  for (const answer of held) answer()
  expect(await waits).toHaveLength(5)
})
