import { connect } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Stall } from '../../../src/daemon/health/heartbeats.ts'
import type { Condition } from '../../../src/daemon/health/readiness.ts'
import { LOAD, STUCK, server } from './health-server.ts'

async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

const stall = { loop: 'schedule', silentMs: 120_000, boundMs: 60_000 }

test.each<[string, Stall[], Record<string, Condition>, number, unknown]>([
  ['/healthz', [], {}, 200, { status: 'alive', ...LOAD, stuck: STUCK }],
  ['/healthz', [stall], {}, 503, { status: 'stalled', loops: [stall], ...LOAD, stuck: STUCK }],
  ['/healthz', [], { state: () => 'disk full' }, 200, { status: 'alive', ...LOAD, stuck: STUCK }],
  ['/readyz', [], { state: () => undefined }, 200, { status: 'ready' }],
  [
    '/readyz',
    [],
    { state: () => 'disk full', pipelines: () => undefined, service: () => 'refused' },
    503,
    {
      status: 'notReady',
      notReady: [
        { check: 'state', reason: 'disk full' },
        { check: 'service', reason: 'refused' },
      ],
    },
  ],
])('%s with stalls %j', async (path, stalled, checks, status, body) => {
  const { url } = await server({ health: { stalled: () => stalled, load: () => LOAD, stuck: () => STUCK, checks } })
  const answer = await ask(`${url}${path}?verbose`)
  expect({ status: answer.status, type: answer.type }).toEqual({ status, type: 'application/json' })
  expect(JSON.parse(answer.text)).toEqual(body)
})

test('/metrics is the text of the metrics, with its type', async () => {
  const { url } = await server()
  expect(await ask(`${url}/metrics`)).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    text: 'a 1\n',
  })
})

test.each([
  ['GET', '/', 404],
  ['GET', '/healthz/', 404],
  ['GET', '/constructor', 404],
  ['POST', '/elsewhere', 404],
  ['POST', '/healthz', 405],
  ['DELETE', '/metrics', 405],
  ['HEAD', '/readyz', 200],
])('%s %s is %i', async (method, path, status) => {
  const { url } = await server()
  const response = await fetch(url + path, { method })
  expect(response.status).toBe(status)
  expect(response.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD' : null)
  if (method === 'HEAD') expect(await response.text()).toBe('')
})

test('metrics that cannot be made are a 500 that says nothing of why, and the log does', async () => {
  const lines: string[] = []
  const { url } = await server({
    metrics: { contentType: 'text/plain', text: () => Promise.reject(new Error('no such table')) },
    log: pino({}, { write: (line: string) => lines.push(line) }),
  })
  expect(await ask(`${url}/metrics`)).toMatchObject({ status: 500, text: 'failed; the log says why\n' })
  expect(lines.join()).toContain('no such table')
})

test('a port that is taken is said so, with what to do', async () => {
  const { url } = await server()
  await expect(server({ port: Number(new URL(url).port) })).rejects.toMatchObject({
    code: 'port-in-use',
    hint: expect.stringContaining('--port'),
  })
})

test('an address of another machine is said so', async () => {
  await expect(server({ host: '203.0.113.7' })).rejects.toMatchObject({ code: 'address-unusable' })
})

test('a header that is too large is refused', async () => {
  const { url } = await server()
  expect((await ask(`${url}/healthz`, { headers: { 'x-large': 'x'.repeat(9000) } })).status).toBe(431)
})

test('closing ends connections on which nothing comes', async () => {
  const { url, close } = await server()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write('GET /healthz HT')
  await close()
  await closed
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})
