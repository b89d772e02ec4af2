import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { readHostPattern } from '../../../src/core/host-pattern.ts'
import type { HealthServerOptions } from '../../../src/daemon/health/start-health-server.ts'
import { server } from './health-server.ts'

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

/** Everything that comes back for the bytes of a request. */
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
