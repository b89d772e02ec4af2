import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { type Reply, rawServer, scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

/** Addresses where something other than an HTTP/1.1 service answers: the error says what. */

const pem = (name: string) =>
  readFileSync(new URL(`../notifications/channels/support/localhost-${name}.pem`, import.meta.url), 'utf8')
const own = { cert: pem('cert'), key: pem('key') }

async function errorAt(url: string): Promise<{ message: string; hint: string | undefined; code: string }> {
  await using client = testClient(`${url}/p/1`)
  const error = await client.api.jobs.get({ jobId: '7' }, { maxAttempts: 1 }).catch((reason: unknown) => reason)
  const { message, hint, code } = error as { message: string; hint: string; code: string }
  return { message, hint, code }
}

async function listening(server: ReturnType<typeof createTlsServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('plain HTTP at a port of TLS whose server ends the connection without a word', async () => {
  const port = await listening(createServer(own))
  expect((await errorAt(`http://127.0.0.1:${port}`)).hint).toContain('begin the base URL with https')
})

test('plain HTTP at a port of TLS whose server sends an alert', async () => {
  const alert = Buffer.from([21, 3, 1, 0, 2, 2, 80])
  await using server = await rawServer((socket) => socket.once('data', () => socket.end(alert)))
  expect(await errorAt(server.url)).toMatchObject({
    message: expect.stringContaining('the server speaks TLS on this port'),
    hint: expect.stringContaining('https'),
  })
})

test('plain HTTP at a port of TLS whose server says so in plain HTTP', async () => {
  const body = '<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>'
  await using server = await scriptedServer([{ status: 400, body }])
  expect((await errorAt(server.origin)).message).toContain('The plain HTTP request was sent to HTTPS port')
})

test('TLS at a port of plain HTTP', async () => {
  await using server = await scriptedServer([{}])
  expect(await errorAt(server.origin.replace('http', 'https'))).toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('the server does not speak TLS on this port'),
    hint: expect.stringContaining('begin the base URL with http,'),
  })
})

test('a server of HTTP/2 alone, without TLS', async () => {
  const settings = Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])
  await using server = await rawServer((socket) => socket.once('data', () => socket.end(settings)))
  expect((await errorAt(server.url)).message).toContain('answers in HTTP/2')
})

test('a server of HTTP/2 alone, with TLS', async () => {
  const port = await listening(createTlsServer({ ...own, ALPNProtocols: ['h2'] }))
  expect((await errorAt(`https://localhost:${port}`)).message).toContain('does not speak HTTP/1.1')
})

test.each<[string, Reply, string, RegExp]>([
  [
    'an encoding that nobody asked for',
    { headers: { 'content-encoding': 'compress' }, body: 'x' },
    'bad-answer',
    /encoded as "compress", which was not requested/,
  ],
  [
    'an encoding that is another',
    { headers: { 'content-encoding': 'gzip' }, body: 'x' },
    'bad-answer',
    /it says that it is gzip, but it is not/,
  ],
  [
    'header fields without end',
    { headers: { 'content-security-policy': 'x'.repeat(17_000) }, json: { id: '7', status: 'READY' } },
    'connection-lost',
    /the header fields of the answer are larger than 16,384 bytes/,
  ],
  ['304', { status: 304 }, 'bad-answer', /304 Not Modified, although the request had no condition/],
  ['a redirect without a Location', { status: 302 }, 'redirected', /302 Found without a Location, so it leads nowhere/],
  ['300 without a Location', { status: 300 }, 'redirected', /300 Multiple Choices without a Location/],
])('%s is named', async (_name, reply, code, message) => {
  await using server = await scriptedServer([reply])
  expect(await errorAt(server.origin)).toMatchObject({ code, message: expect.stringMatching(message) })
})
