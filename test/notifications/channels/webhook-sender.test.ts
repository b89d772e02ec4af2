import type { LookupAddress } from 'node:dns'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readHostPattern } from '../../../src/core/host-pattern.ts'
import { postJson } from '../../../src/notifications/channels/post-json.ts'
import { createWebhookSender, openSender } from '../../../src/notifications/channels/webhook-sender.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { type Reply, rawServer, scriptedServer } from '../../adapter/scripted-server.ts'
import { forwardProxy } from '../../support/forward-proxy.ts'

/** A server of web hooks, and a sender for which every name has the addresses of `answers`, one list per lookup. */
async function setUp(answers: readonly string[][], { hosts, reply = {} }: { hosts?: string[]; reply?: Reply } = {}) {
  const server = await scriptedServer([reply])
  onTestFinished(() => server[Symbol.asyncDispose]())
  const asked: string[] = []
  const sender = createWebhookSender(
    { ownEnv: [], ...(hosts && { webhookHosts: hosts.flatMap((text) => readHostPattern(text) ?? []) }) },
    {
      clock: systemClock,
      lookup: (name, _options, done) => {
        const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? []
        asked.push(name)
        done(
          null,
          addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      },
    },
  )
  onTestFinished(() => sender.close())
  const { port } = new URL(server.origin)
  return {
    server,
    asked,
    send: (host: string) =>
      postJson(new URL(`http://${host.replace('PORT', port)}/hook`), '{}', {
        signal: new AbortController().signal,
        clock: systemClock,
        redact: (text) => text,
        post: sender.post,
      }),
  }
}

const REFUSED = { code: 'host-not-allowed', kind: 'invalid' }

test('a name is resolved once for a connection, and what was checked is what it connects to', async () => {
  const { server, asked, send } = await setUp([['127.0.0.1'], ['169.254.169.254']])
  expect(await send('hooks.example.com:PORT')).toMatchObject({ status: 200 })
  expect([asked, server.seen.length]).toEqual([['hooks.example.com'], 1])
})

test.each([[['169.254.169.254']], [['127.0.0.1', 'fe80::1']], [['::ffff:169.254.169.254']], [['fd00:ec2::254']]])(
  'a name that leads to %j is refused at once, and nothing is sent',
  async (addresses) => {
    const { server, asked, send } = await setUp([addresses])
    await expect(send('hooks.example.com:PORT')).rejects.toMatchObject(REFUSED)
    expect([asked.length, server.seen.length]).toEqual([1, 0])
  },
)

test.each([
  '169.254.169.254',
  '2852039166',
  '0xa9.0xfe.0xa9.0xfe',
  '169.254.43518',
  '[::ffff:169.254.169.254]',
  '[fe80::1]',
])('the address %s is refused, however it is written', async (host) => {
  const { asked, send } = await setUp([['127.0.0.1']])
  await expect(send(host)).rejects.toMatchObject(REFUSED)
  expect(asked).toEqual([])
})

test('a redirect to such an address is not followed', async () => {
  const location = 'http://169.254.169.254/latest/meta-data'
  const { server, send } = await setUp([['127.0.0.1']], { reply: { status: 302, headers: { location } } })
  expect(await send('hooks.example.com:PORT')).toMatchObject({ status: 302 })
  expect(server.seen).toHaveLength(1)
})

test.each([
  ['hooks.example.com:PORT', true],
  ['HOOKS.Example.COM.:PORT', true],
  ['a.b.wild.example:PORT', true],
  ['xn--bcher-kva.example:PORT', true],
  ['bücher.example:PORT', true],
  ['wild.example:PORT', false],
  ['evilwild.example:PORT', false],
  ['hooks.example.com.evil.example:PORT', false],
  ['one-port.example:PORT', false],
  ['127.0.0.1:PORT', false],
])('with a list of hosts %s is called: %s', async (host, isCalled) => {
  const hosts = ['hooks.example.com', '*.wild.example', 'Bücher.example', 'one-port.example:8443']
  const { server, send } = await setUp([['127.0.0.1']], { hosts })
  if (isCalled) expect(await send(host)).toMatchObject({ status: 200 })
  else await expect(send(host)).rejects.toMatchObject(REFUSED)
  expect(server.seen.length).toBe(isCalled ? 1 : 0)
})

test('that a host is listed does not let it lead to such an address', async () => {
  const { send } = await setUp([['169.254.169.254']], { hosts: ['hooks.example.com'] })
  await expect(send('hooks.example.com')).rejects.toMatchObject(REFUSED)
})

describe('through a proxy', () => {
  /** A sender with this policy behind a proxy. A name leads to these addresses or to none, or its lookup never ends. */
  async function behindProxy(
    addresses: readonly string[] | undefined,
    { hosts, except = '', clock = systemClock }: { hosts?: string[]; except?: string; clock?: typeof systemClock },
  ) {
    const proxy = await forwardProxy()
    const server = await scriptedServer([{}])
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    onTestFinished(() => server[Symbol.asyncDispose]())
    const policy = { ownEnv: [], ...(hosts && { webhookHosts: hosts.flatMap((text) => readHostPattern(text) ?? []) }) }
    const sender = createWebhookSender(policy, {
      clock,
      lookup: (_name, _options, done) => {
        if (addresses === undefined) return
        if (addresses.length === 0) done(new Error('ENOTFOUND'), [])
        else
          done(
            null,
            addresses.map((address): LookupAddress => ({ address, family: 4 })),
          )
      },
      proxies: { http: proxy.url, https: proxy.url, except },
    })
    onTestFinished(() => sender.close())
    const { port } = new URL(server.origin)
    const send = (host: string) =>
      postJson(new URL(`http://${host}:${port}/hook`), '{}', {
        signal: new AbortController().signal,
        clock: systemClock,
        redact: (text) => text,
        post: sender.post,
      })
    return { proxy, server, send, port }
  }

  test('the proxy resolves the name, and the policy judges the host and not the proxy', async () => {
    const { proxy, server, send, port } = await behindProxy([], { hosts: ['hooks.example.com'] })
    expect(await send('hooks.example.com')).toMatchObject({ status: 200 })
    await expect(send('other.example.com')).rejects.toMatchObject(REFUSED)
    expect([proxy.asked, server.seen.length]).toEqual([[`POST http://hooks.example.com:${port}/hook`], 1])
  })

  test('a forbidden address, or a name that is known to lead to one, is refused before the proxy is asked', async () => {
    const { proxy, send } = await behindProxy(['169.254.169.254'], {})
    for (const host of ['169.254.169.254', 'hooks.example.com']) {
      await expect(send(host)).rejects.toMatchObject(REFUSED)
    }
    expect(proxy.asked).toEqual([])
  })

  test('a name that nothing here resolves in time is left to the proxy', async () => {
    const inTime = {
      ...systemClock,
      timer: (ms: number, ring: () => void) => systemClock.timer(ms > 2000 ? ms : 0, ring),
    }
    const { server, send } = await behindProxy(undefined, { clock: inTime })
    expect(await send('hooks.example.com')).toMatchObject({ status: 200 })
    expect(server.seen).toHaveLength(1)
  })

  test('a host of NO_PROXY goes straight, with its addresses checked', async () => {
    const { proxy, server, send } = await behindProxy(['127.0.0.1'], { except: 'hooks.example.com' })
    expect(await send('hooks.example.com')).toMatchObject({ status: 200 })
    expect([proxy.asked, server.seen.length]).toEqual([[], 1])
  })

  test('a proxy that refuses is named', async () => {
    const proxy = await forwardProxy(() => 407)
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    const { post, close } = openSender({
      clock: systemClock,
      proxies: { http: proxy.url, https: proxy.url, except: '' },
    })
    onTestFinished(close)
    for (const scheme of ['http', 'https']) {
      const url = new URL(`${scheme}://hooks.example.com/T0/secret`)
      const sent = await postJson(url, '{}', {
        signal: new AbortController().signal,
        clock: systemClock,
        redact: (text: string) => text,
        post,
      })
      expect(sent).toEqual({ failure: 'the proxy refuses: 407' })
    }
  })
})

test('an unasked 100 Continue before the answer is skipped', async () => {
  const answer = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
  await using server = await rawServer((socket) => socket.once('data', () => socket.write(answer)))
  const { post, close } = openSender({ clock: systemClock, proxies: undefined })
  onTestFinished(close)
  const options = { signal: new AbortController().signal, clock: systemClock, redact: (text: string) => text, post }
  expect(await postJson(new URL(server.url), '{}', options)).toMatchObject({ status: 200 })
})
