import { expect, test } from 'vitest'
import type { Exchange } from '../../src/adapter/transport.ts'
import { fakeClock } from './fake-clock.ts'
import { type Reply, scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const JOB = { json: { id: '7', status: 'PENDING' } }

test.each<[string, Reply[], Partial<Exchange>[]]>([
  ['an answer', [JOB], [{ outcome: 'done' }]],
  [
    'a call that is repeated, each of its requests',
    [{ status: 503, headers: { 'retry-after': '1' } }, 'reset', JOB],
    [
      { outcome: 'rejected', code: 'service-error' },
      { outcome: 'unknown', code: 'connection-lost' },
      { outcome: 'done' },
    ],
  ],
  ['a refusal', [{ status: 404 }], [{ outcome: 'rejected', code: 'not-found' }]],
])('of %s the listener is told', async (_, script, told) => {
  const exchanges: Exchange[] = []
  await using server = await scriptedServer(script)
  await using client = testClient(server.url, { onExchange: (exchange) => exchanges.push(exchange) })
  await client.api.jobs.get({ jobId: '7' }).catch(() => undefined)
  expect(exchanges).toEqual(told.map((one) => ({ operation: 'jobs.get', durationMs: 0, ...one })))
})

test('the duration is that of the exchange, and never less than nothing', async () => {
  const exchanges: Exchange[] = []
  const clock = fakeClock()
  let stepMs = 250
  await using server = await scriptedServer(() => {
    clock.advance(stepMs)
    return JOB
  })
  await using client = testClient(server.url, { clock, onExchange: (exchange) => exchanges.push(exchange) })
  await client.api.jobs.get({ jobId: '7' })
  stepMs = -3_600_000
  await client.api.jobs.get({ jobId: '7' })
  expect(exchanges.map(({ durationMs }) => durationMs)).toEqual([250, 0])
})

test('a service that nobody reaches is told as not sent', async () => {
  const exchanges: Exchange[] = []
  const server = await scriptedServer([JOB])
  await server[Symbol.asyncDispose]()
  await using client = testClient(server.url, { onExchange: (exchange) => exchanges.push(exchange) })
  await client.api.jobs.get({ jobId: '7' }, { maxAttempts: 1 }).catch(() => undefined)
  expect(exchanges).toMatchObject([{ outcome: 'notSent', code: 'unreachable' }])
})

test('of what a run does the listener is told the pipeline: of calls, of pages and of polls', async () => {
  const exchanges: Exchange[] = []
  const page = { json: { segments: [], pageSize: 100, hasMore: false } }
  await using server = await scriptedServer(({ url }) =>
    url.includes('/segments') ? page : { json: { id: '7', status: 'SUCCESS' } },
  )
  await using client = testClient(server.url, { onExchange: (exchange) => exchanges.push(exchange) })
  const ofRun = client.api.guardedBy(() => undefined, 'nightly')
  await ofRun.jobs.get({ jobId: '7' })
  await Array.fromAsync(ofRun.items('segments.list', {}))
  const { waitForJob } = ofRun
  await waitForJob('7', { timeoutMs: 60_000 })
  await client.api.jobs.get({ jobId: '7' })
  const told = exchanges.map(({ operation, pipeline }) => `${operation} ${pipeline}`)
  expect([...new Set(told)]).toEqual(['jobs.get nightly', 'segments.list nightly', 'jobs.get undefined'])
  expect(told.filter((one) => one === 'jobs.get nightly')).toHaveLength(2)
})
