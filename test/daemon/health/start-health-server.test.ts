import { connect } from 'node:net'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readHostPattern } from '../../../src/core/host-pattern.ts'
import type { Stall } from '../../../src/daemon/health/heartbeats.ts'
import type { Check } from '../../../src/daemon/health/readiness.ts'
import { type HealthServerOptions, startHealthServer } from '../../../src/daemon/health/start-health-server.ts'

const LOAD = { runs: 2, waits: 3 }
const STUCK = ['r7']

async function server(own: Partial<HealthServerOptions> = {}) {
  const started = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    health: { stalled: () => [], load: () => LOAD, stuck: () => STUCK, checks: {} },
    metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: async () => 'a 1\n' },
    log: pino({ level: 'silent' }),
    redact: (text) => text.replaceAll('s3cret', '***'),
    ...own,
  })
  onTestFinished(() => started.close())
  return started
}

async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

const stall = { loop: 'schedule', silentMs: 120_000, boundMs: 60_000 }

test.each<[string, Stall[], Record<string, Check>, number, unknown]>([
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

describe('only requests for a known host are answered, so that DNS rebinding reads nothing', () => {
  const hosts = ['audience.internal', '*.monitors.example', 'b\u00fccher.example:9470', '[2001:db8::7]'].flatMap(
    (text) => readHostPattern(text) ?? [],
  )

  /** The status of each path for a request with this Host line, or without one. */
  async function statuses(host: string | undefined, own: Partial<HealthServerOptions>) {
    const { url } = await server(own)
    const { port } = new URL(url)
    const line = host === undefined ? '' : `Host: ${host.replace('PORT', port)}\r\n`
    const answers = ['/metrics', '/readyz', '/healthz', '/'].map((path) =>
      raw(port, `GET ${path} HTTP/1.0\r\n${line}\r\n`),
    )
    const texts = await Promise.all(answers)
    if (texts[0]?.includes(' 421 ')) expect(texts.join()).not.toMatch(/a 1|ready|alive/)
    return texts.map((text) => Number(text.split(' ')[1]))
  }

  test.each([
    ['localhost', {}],
    ['LOCALHOST.:PORT', {}],
    ['127.0.0.1:PORT', {}],
    ['127.8.8.8', {}],
    ['0x7f000001', {}],
    ['[::1]:PORT', {}],
    ['audience.internal', { hosts }],
    ['Audience.Internal.:80', { hosts }],
    ['a.b.monitors.example', { hosts }],
    ['xn--bcher-kva.example:9470', { hosts }],
    ['[2001:DB8:0::7]:1', { hosts }],
    ['0.0.0.0:PORT', { host: '0.0.0.0' }],
  ])('%s', async (host, own) => {
    expect(await statuses(host, own)).toEqual([200, 200, 200, 404])
  })

  test.each([
    [undefined, {}],
    ['', {}],
    ['evil.example:PORT', {}],
    ['localhost.evil.example', {}],
    ['127.0.0.1.evil.example', {}],
    ['evil.example@localhost', {}],
    ['localhost/', {}],
    ['localhost:99999', {}],
    ['[::1', {}],
    ['[::2]', {}],
    ['10.0.0.1', {}],
    ['monitors.example', { hosts }],
    ['evilmonitors.example', { hosts }],
    ['xn--bcher-kva.example:9471', { hosts }],
    ['[2001:db8::8]', { hosts }],
    ['evil.example', { host: '0.0.0.0' }],
  ])('not %s', async (host, own) => {
    expect(await statuses(host, own)).toEqual([421, 421, 421, 421])
  })
})

/** All that comes back for the bytes of a request. */
function raw(port: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request))
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text)).on('error', reject)
  })
}
