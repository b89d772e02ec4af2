import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { BeforeSend } from '../../src/adapter/api-client.ts'
import { oauth2Token } from '../../src/adapter/oauth2-token.ts'
import type { Proxies } from '../../src/platform/proxies.ts'
import { forwardProxy, type ProxyRule } from '../support/forward-proxy.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { fakeClock } from './fake-clock.ts'
import { type Reply, rawServer, scriptedServer } from './scripted-server.ts'
import { TOKEN, testClient } from './test-client.ts'
import { passInUndici } from './undici-time.ts'

const JOB = { id: '7', status: 'READY' }
const match = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
const pem = (name: string) =>
  readFileSync(new URL(`../notifications/channels/support/localhost-${name}.pem`, import.meta.url), 'utf8')

const trusted = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...trusted, pem('cert')]))
afterAll(() => setDefaultCACertificates(trusted))

const through = (url: string): Proxies => ({ http: url, https: url, except: '' })
const depsFor = (proxy: string) => ({ clock: fakeClock(), proxies: through(proxy), learn: () => undefined })

/** A service with TLS. It answers each request with a job, after these bytes. */
async function tlsService(interim = '') {
  const seen: (string | undefined)[] = []
  const server = createServer({ cert: pem('cert'), key: pem('key') }, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
    request.resume().on('end', () => {
      if (interim !== '') response.socket?.write(interim)
      response.end(JSON.stringify(JOB))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/p/1001`, seen }
}

test('plain HTTP is passed on by the proxy, which resolves the name', async () => {
  await using proxy = await forwardProxy()
  await using server = await scriptedServer([{ json: JOB }])
  const baseUrl = server.url.replace('127.0.0.1', 'service.invalid')
  await using client = testClient(baseUrl, { proxies: through(proxy.url.replace('//', '//jo:p%40ss@')) })
  expect(await client.api.jobs.get({ jobId: '7' })).toEqual(JOB)
  expect(await client.api.matches.create(match)).toEqual(JOB)
  expect(proxy.asked).toEqual([`GET ${baseUrl}/api/jobs/7`, `POST ${baseUrl}/api/segments/match`])
  const basic = `Basic ${Buffer.from('jo:p@ss').toString('base64')}`
  expect(proxy.credentials).toEqual([basic, basic])
  expect(server.seen[0]?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, host: new URL(baseUrl).host })
})

test('an upload goes through a proxy', async () => {
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(file, 'x'.repeat(1_000_000))
  await using proxy = await forwardProxy()
  await using server = await scriptedServer([{ json: { name: 'a.csv' } }])
  await using client = testClient(server.url, { proxies: through(proxy.url) })
  const uploaded = await client.api.files.upload({ file, uploadSignal: 'EMAIL', resultContent: 'BGID' })
  expect([uploaded, proxy.asked.length, server.seen[0]?.body.length]).toEqual([
    { name: 'a.csv' },
    1,
    expect.any(Number),
  ])
  expect(server.seen[0]?.body.length).toBeGreaterThan(1_000_000)
})

test('TLS goes through a tunnel, in which the proxy sees nothing', async () => {
  await using proxy = await forwardProxy()
  const service = await tlsService()
  await using client = testClient(service.url, {
    proxies: through(proxy.url.replace('//', '//jo:secret-1@')),
    limits: { concurrency: 1 },
  })
  expect(await client.api.matches.create(match)).toEqual(JOB)
  expect(await client.api.jobs.get({ jobId: '7' })).toEqual(JOB)
  expect(proxy.asked).toEqual([`CONNECT ${new URL(service.url).host}`])
  expect(service.seen).toEqual(['POST /p/1001/api/segments/match', 'GET /p/1001/api/jobs/7'])
})

test('an unasked 100 Continue is skipped behind a proxy too', async () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'
  await using proxy = await forwardProxy()
  const service = await tlsService(interim)
  await using client = testClient(service.url, { proxies: through(proxy.url) })
  expect(await client.api.matches.create(match)).toEqual(JOB)
  const text = JSON.stringify(JOB)
  const answer = `${interim}HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  // This proxy sends the whole answer itself.
  await using plain = await rawServer((socket) => socket.once('data', () => socket.write(answer)))
  await using other = testClient('http://127.0.0.1:1/p/1', { proxies: through(plain.url) })
  expect(await other.api.matches.create(match)).toEqual(JOB)
})

test('NO_PROXY goes straight', async () => {
  await using proxy = await forwardProxy()
  await using server = await scriptedServer([{ json: JOB }])
  await using client = testClient(server.url, { proxies: { ...through(proxy.url), except: '127.0.0.1' } })
  await client.api.jobs.get({ jobId: '7' })
  expect([proxy.asked, server.seen.length]).toEqual([[], 1])
})

test.each<[ProxyRule, string]>([
  [407, 'refuses: 407'],
  [403, 'refuses: 403'],
  [502, 'refuses: 502'],
  ['silent', 'Headers Timeout Error'],
])('a tunnel that does not come about (%s) is a write that was not sent', async (rule, said) => {
  await using proxy = await forwardProxy(() => rule)
  const service = await tlsService()
  await using client = testClient(service.url, {
    proxies: through(proxy.url),
    limits: { retry: { maxAttempts: 2 } },
  })
  let error: unknown
  client.api.matches.create(match).catch((reason: unknown) => {
    error = reason
  })
  while (error === undefined) await passInUndici(1000)
  expect(error).toMatchObject({ code: 'unreachable', kind: 'unavailable', request: { outcome: 'notSent' } })
  expect(String(error)).toMatch(`${said}`)
  expect(String(error)).toContain(`the proxy ${proxy.url} of HTTPS_PROXY`)
  expect([proxy.asked.length, service.seen]).toEqual([2, []])
})

test('what a proxy answers to plain HTTP leaves a write open, because it may have passed it on', async () => {
  let status = 407
  await using proxy = await forwardProxy(() => status)
  await using client = testClient('http://service.invalid:8080/p/1', { proxies: through(proxy.url) })
  const create = () => client.api.matches.create(match, { maxAttempts: 1 }).catch((reason: unknown) => reason)
  for (status of [407, 502, 503, 504]) {
    expect(await create()).toMatchObject({ request: { outcome: 'unknown', status } })
  }
})

test('a proxy that wants a password is asked once for a read, and the error says what to do', async () => {
  await using proxy = await forwardProxy(() => 407)
  await using client = testClient('http://service.invalid:8080/p/1', { proxies: through(proxy.url) })
  const error = await client.api.jobs.get({ jobId: '7' }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'access-refused', kind: 'unavailable', request: { status: 407 } })
  expect(error).toMatchObject({ hint: expect.stringContaining('password of the proxy') })
  expect(proxy.asked).toHaveLength(1)
})

test('a write that the service did is not sent again for the 407 of the proxy that passed it on', async () => {
  await using server = await scriptedServer([{ status: 407, json: {} }, { json: JOB }])
  await using proxy = await forwardProxy()
  await using client = testClient(server.url, { proxies: through(proxy.url) })
  await expect(client.api.matches.create(match)).rejects.toMatchObject({ request: { outcome: 'unknown', status: 407 } })
  expect(server.seen).toHaveLength(1)
})

test('a proxy that is not there is named, and nothing was sent', async () => {
  const proxy = await forwardProxy()
  await proxy[Symbol.asyncDispose]()
  for (const target of ['http://service.invalid/p/1', 'https://service.invalid/p/1']) {
    await using client = testClient(target, { proxies: through(proxy.url) })
    const error = await client.api.matches.create(match, { maxAttempts: 1 }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unreachable', request: { outcome: 'notSent' } })
    expect(String(error)).toContain(`ECONNREFUSED 127.0.0.1:${proxy.port}`)
    expect(String(error)).toContain(`through the proxy ${proxy.url}`)
  }
})

test('a connection that ends after a write was sent through a proxy leaves its outcome open', async () => {
  await using proxy = await forwardProxy()
  await using server = await scriptedServer(['reset'] satisfies Reply[])
  await using client = testClient(server.url, { proxies: through(proxy.url) })
  await expect(client.api.matches.create(match)).rejects.toMatchObject({ request: { outcome: 'unknown' } })
  expect(server.seen).toHaveLength(1)
})

/** The owner loses the run while the connection is being opened. */
const guards: Record<string, (refusal: Error) => BeforeSend> = {
  'at once': (refusal) => {
    let asked = 0
    return () => {
      asked += 1
      if (asked > 1) throw refusal
      return undefined
    }
  },
  'after a while': (refusal) => async () => () => {
    throw refusal
  },
}

test.each(Object.entries(guards))(
  'a guard that answers %s is asked again once the way through the proxy is there, and nothing is sent',
  async (_name, guard) => {
    const refusal = new Error('another process works on this run now')
    await using proxy = await forwardProxy()
    const service = await tlsService()
    await using server = await scriptedServer([{ json: JOB }])
    for (const url of [service.url, server.url]) {
      await using client = testClient(url, { proxies: through(proxy.url) })
      await expect(client.api.guardedBy(guard(refusal)).matches.create(match)).rejects.toBe(refusal)
    }
    // The tunnel is open, and nothing was sent into it.
    expect(proxy.asked).toEqual([`CONNECT ${new URL(service.url).host}`])
    expect([service.seen, server.seen]).toEqual([[], []])
  },
)

test('a token server is reached through the proxy too', async () => {
  await using proxy = await forwardProxy()
  await using server = await scriptedServer([{ json: { access_token: 'a-token', expires_in: 60 } }])
  const tokenUrl = `${server.origin.replace('127.0.0.1', 'tokens.invalid')}/token`
  const token = oauth2Token({ tokenUrl, clientId: 'c', clientSecret: 's' }, depsFor(proxy.url))
  expect(await token.get()).toBe('a-token')
  expect(proxy.asked).toEqual([`POST ${tokenUrl}`])
})

test('a proxy that wants a password for the token server is named', async () => {
  await using proxy = await forwardProxy(() => 407)
  const settings = { tokenUrl: 'http://tokens.invalid/token', clientId: 'c', clientSecret: 's' }
  const token = oauth2Token(settings, depsFor(proxy.url))
  const error = await Promise.resolve(token.get()).catch((reason: unknown) => reason)
  expect(String(error)).toContain(`the proxy ${proxy.url} of HTTP_PROXY refuses: 407`)
})
