import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleBench, linkOf, send, startConsoleBench } from '../support/console-bench.ts'

let bench: ConsoleBench
beforeAll(async () => {
  bench = await startConsoleBench({})
})
afterAll(() => bench?.stop())

const WAYS: readonly (readonly [method: string, path: string])[] = [
  ['GET', 'api/v1/me'],
  ['HEAD', 'api/v1/runs'],
  ['POST', 'api/v1/runs'],
  ['GET', 'api/v1/events'],
  ['GET', 'api/v1/openapi.json'],
  ['GET', 'api/v1/no/such/path'],
  ['POST', 'api/v1/pipelines/none/uploads?name=a.csv'],
  ['GET', 'api/v1'],
]

test('whichever way a token is guessed, and whatever address a header claims, it counts', async () => {
  let guess = 0
  const ask = async ([method, path]: (typeof WAYS)[number]) => {
    guess += 1
    const claimed = `203.0.113.${guess}`
    const headers = {
      authorization: `Bearer guess-number-${guess}-of-many`,
      ...{ 'x-forwarded-for': claimed, forwarded: `for=${claimed}`, 'x-real-ip': claimed, 'x-forwarded-user': 'ana' },
    }
    return (await send(new URL(path, bench.url), { method, headers })).status
  }
  const statuses: number[] = []
  for (const way of [...WAYS, ...WAYS, ...WAYS]) statuses.push(await ask(way))
  expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(WAYS.length * 3 - 10).fill(429)])
  // A link has a secret of 256 bits. Links are never refused, so nobody can lock others out.
  expect((await send(await linkOf(bench))).status).toBe(200)
  const { out } = await bench.command('audit', 'list', '--json')
  expect(out.match(/"act":"console.guess"/g)).toHaveLength(2)
  expect(out).not.toContain('203.0.113.')
})

test('there is no other protocol: a WebSocket is refused', async () => {
  const { hostname, port, host } = new URL(bench.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const lines = [
    'GET /api/v1/events HTTP/1.1',
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n`)
  expect(await text(socket)).not.toMatch(/^HTTP\/1.1 (101|200)/)
})
