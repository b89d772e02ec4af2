import { expect, test } from 'vitest'
import { CircuitBreaker } from '../../src/adapter/circuit-breaker.ts'
import { Pacer } from '../../src/adapter/pacer.ts'
import type { Clock } from '../../src/core/clock.ts'
import { retryAfterMs } from '../../src/core/retry-after.ts'
import { fakeClock } from './fake-clock.ts'
import { scriptedServer } from './scripted-server.ts'
import { settled, steppedClock } from './stepped-clock.ts'
import { testClient } from './test-client.ts'

const JOB = { id: '7', status: 'READY' }
const open = new AbortController().signal

/** Enters `count` times and records when each could enter. */
function enterMany(pacer: Pacer, clock: Clock, count: number): number[] {
  const entries: number[] = []
  for (let index = 0; index < count; index += 1) {
    Promise.resolve(pacer.enter(undefined)).then(() => entries.push(clock.now()))
  }
  return entries
}

test('exactly as many calls as the concurrency are under way at a time', async () => {
  const held: (() => void)[] = []
  let most = 0
  await using server = await scriptedServer([
    (_request, response) => {
      held.push(() => response.end(JSON.stringify(JOB)))
      most = Math.max(most, held.length)
      // Holds all requests until three have arrived, and then a little longer in case a fourth arrives.
      if (held.length === 3)
        setTimeout(() => {
          for (const release of held.splice(0)) release()
        }, 5)
    },
  ])
  await using client = testClient(server.url, { limits: { concurrency: 3 } })
  const jobs = Array.from({ length: 21 }, () => client.api.jobs.get({ jobId: '7' }))
  expect(await Promise.all(jobs)).toHaveLength(21)
  expect(most).toBe(3)
})

test('a rate spaces calls evenly', async () => {
  const clock = steppedClock()
  const pacer = new Pacer(clock, { concurrency: 10, requestsPerSecond: 4 }, open)
  const entries = enterMany(pacer, clock, 5)
  await clock.moveTo(2000)
  expect(entries).toEqual([0, 250, 500, 750, 1000])
})

test('nobody starts before the pause that the service asked for is over (decision 11)', async () => {
  const clock = steppedClock()
  const pacer = new Pacer(clock, { concurrency: 10 }, open)
  pacer.pauseUntil(5000)
  const entries = enterMany(pacer, clock, 2)
  await clock.moveTo(3000)
  pacer.pauseUntil(9000)
  await clock.moveTo(20_000)
  expect(entries).toEqual([9000, 9000])
  expect(pacer.enter(undefined)).toBeUndefined()
})

test('a Retry-After holds back the other calls too', async () => {
  const clock = fakeClock(0)
  await using server = await scriptedServer([{ status: 429, headers: { 'retry-after': '30' } }, { json: JOB }])
  await using client = testClient(server.url, { clock, limits: { retry: { maxAttempts: 1 } } })
  await client.api.jobs.get({ jobId: '1' }).catch(() => undefined)
  await client.api.jobs.get({ jobId: JOB.id })
  expect(clock.sleeps).toEqual([30_000])
})

test('a 503 with Retry-After holds the others back too, although it leaves the outcome of its write open', async () => {
  const clock = fakeClock(0)
  await using server = await scriptedServer([{ status: 503, headers: { 'retry-after': '30' } }, { json: JOB }])
  await using client = testClient(server.url, { clock })
  await expect(client.api.segments.refresh({ id: '1' })).rejects.toMatchObject({ request: { outcome: 'unknown' } })
  await client.api.jobs.get({ jobId: JOB.id })
  expect(clock.sleeps).toEqual([30_000])
})

test('who gives up waiting leaves the place to the next', async () => {
  const clock = steppedClock()
  const pacer = new Pacer(clock, { concurrency: 1 }, open)
  pacer.enter(undefined)
  const abort = new AbortController()
  const impatient = Promise.resolve(pacer.enter(abort.signal)).catch((reason: unknown) => reason)
  const patient = enterMany(pacer, clock, 1)
  abort.abort('enough')
  expect(await impatient).toBe('enough')
  pacer.leave()
  await settled()
  expect(patient).toEqual([0])
  pacer.leave()
  expect(pacer.enter(undefined)).toBeUndefined()
})

test.each([
  ['a place', undefined],
  ['their turn', 0.001],
])('closing frees those who wait for %s', async (_what, requestsPerSecond) => {
  const clock = steppedClock()
  const closing = new AbortController()
  const pacer = new Pacer(clock, { concurrency: requestsPerSecond ? 2 : 1, requestsPerSecond }, closing.signal)
  await pacer.enter(undefined)
  const waiting = Promise.resolve(pacer.enter(undefined)).catch((reason: unknown) => reason)
  await settled()
  closing.abort('closed')
  expect(await waiting).toBe('closed')
})

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Sat, 31 Jan 2026 00:00:10 GMT', 10_000],
  ['Saturday, 31-Jan-26 00:00:10 GMT', 10_000],
  ['Fri, 30 Jan 2026 00:00:00 GMT', 0],
  ['-5', undefined],
  ['1.5', 1500],
  ['0.0001', 1],
  ['1.', 1000],
  ['.5', undefined],
  ['1.5.2', undefined],
  [['5', '120'], 120_000],
  [['120', '5'], 120_000],
  [['soon', '5'], 5000],
  ['5, 120', 120_000],
  ['Sat, 31 Jan 2026 00:00:10 GMT, 20', 20_000],
  ['20, Sat, 31 Jan 2026 00:00:10 GMT', 20_000],
  [[], undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms', (header, ms) => {
  expect(retryAfterMs({ 'retry-after': header }, Date.UTC(2026, 0, 31))).toBe(ms)
})

test.each([
  ['an hour before ours', 'Fri, 30 Jan 2026 23:00:00 GMT', 3_610_000],
  ['an hour after ours', 'Sat, 31 Jan 2026 01:00:00 GMT', 0],
  ['not to be read', 'now', 10_000],
])('a date is judged by the clock of the service, which is %s', (_what, date, ms) => {
  const headers = { 'retry-after': 'Sat, 31 Jan 2026 00:00:10 GMT', date }
  expect(retryAfterMs(headers, Date.UTC(2026, 0, 31))).toBe(ms)
  expect(retryAfterMs({ ...headers, 'retry-after': '7' }, Date.UTC(2026, 0, 31))).toBe(7000)
})

function brokenAt(nowMs: number): CircuitBreaker {
  const breaker = new CircuitBreaker()
  for (let failure = 0; failure < 10; failure += 1) breaker.failed(nowMs, 'down')
  return breaker
}

test('the breaker opens after ten failures in a row, and an answer starts the count again', () => {
  const breaker = new CircuitBreaker()
  for (let failure = 0; failure < 30; failure += 1) {
    if (failure % 9 === 0) breaker.answered()
    breaker.failed(0, 'down')
    expect(breaker.admit(() => 0)).toBe(0)
  }
  expect(brokenAt(0).admit(() => 0)).toBe(5000)
})

test('after the pause one probe goes through; it closes the breaker or doubles the pause, up to a minute', () => {
  const breaker = brokenAt(0)
  let nowMs = 5000
  for (const pauseMs of [10_000, 20_000, 40_000, 60_000, 60_000]) {
    expect(breaker.admit(() => nowMs)).toBe(0)
    expect(breaker.admit(() => nowMs)).toBeGreaterThan(0)
    breaker.failed(nowMs, 'down')
    breaker.failed(nowMs, 'a call that was under way')
    expect(breaker.admit(() => nowMs)).toBe(pauseMs)
    nowMs += pauseMs
  }
  expect(breaker.admit(() => nowMs)).toBe(0)
  breaker.answered()
  expect([breaker.admit(() => nowMs), breaker.admit(() => nowMs)]).toEqual([0, 0])
})

test('while the breaker is open nothing is sent, and the error says why', async () => {
  const clock = fakeClock()
  await using server = await scriptedServer([{ status: 500, json: { detail: 'disk full' } }])
  await using client = testClient(server.url, { clock, limits: { retry: { maxAttempts: 1 } } })
  const call = () => client.api.jobs.get({ jobId: '7' }).catch((reason: unknown) => reason)
  for (let count = 0; count < 10; count += 1) await call()
  expect(await call()).toMatchObject({
    code: 'circuit-open',
    kind: 'unavailable',
    message: 'GET /api/jobs/7 could not be sent: 10 failures in a row, the last: 500 disk full',
    request: { outcome: 'notSent' },
  })
  expect(server.seen).toHaveLength(10)
  clock.advance(5000)
  await call()
  expect(server.seen).toHaveLength(11)
})

test('refusals do not open the breaker: a service that says no is there', async () => {
  await using server = await scriptedServer([{ status: 404 }])
  await using client = testClient(server.url)
  for (let count = 0; count < 20; count += 1) await client.api.jobs.get({ jobId: '7' }).catch(() => undefined)
  expect(server.seen).toHaveLength(20)
})
