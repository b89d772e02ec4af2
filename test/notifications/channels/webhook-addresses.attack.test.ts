import type { LookupAddress } from 'node:dns'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import { readHostPattern } from '../../../src/core/host-pattern.ts'
import { postJson, webhookUrl } from '../../../src/notifications/channels/post-json.ts'
import { createWebhookSender } from '../../../src/notifications/channels/webhook-sender.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { rawServer, scriptedServer } from '../../adapter/scripted-server.ts'
import { forwardProxy } from '../../support/forward-proxy.ts'
import { hastyClock } from './support/hasty-clock.ts'

/* What the author of a document may write as the URL of a web hook, and what a receiver may answer. */

/** A sender for which every name resolves to this machine, or to `addresses`. It records the names that it resolved. */
function attacker({
  hosts,
  addresses = ['127.0.0.1'],
  clock = systemClock,
}: {
  hosts?: string[]
  addresses?: readonly string[]
  clock?: SteadyClock
} = {}) {
  const asked: string[] = []
  const sender = createWebhookSender(
    { ownEnv: [], ...(hosts && { webhookHosts: hosts.flatMap((text) => readHostPattern(text) ?? []) }) },
    {
      clock,
      lookup(name, _options, done) {
        asked.push(name)
        done(
          null,
          addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      },
    },
  )
  onTestFinished(() => sender.close())
  return { asked, send: (text: string) => sendTo(text, sender, clock) }
}

async function sendTo(
  text: string,
  { post }: Pick<ReturnType<typeof createWebhookSender>, 'post'>,
  clock: SteadyClock = systemClock,
) {
  const { signal } = new AbortController()
  return postJson(webhookUrl(text), '{}', { signal, clock, redact: (said) => said, post })
}

async function receiver() {
  const server = await scriptedServer([{}])
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { server, port: new URL(server.origin).port }
}

const REFUSED = { code: 'host-not-allowed', kind: 'invalid' }

/** 169.254.169.254 and its like, as programs, keyboards and networks write them. */
const NOTATIONS = [
  ...['169.254.169.254', '169.254.169.254.', '2852039166', '2852039166.', '169.16689662', '169.254.43518'],
  ...['0xa9fea9fe', '0XA9FEA9FE', '0xa9.0xfe.0xa9.0xfe', '0x00000000a9.254.169.254', '0xa9.254.0251.0xfe'],
  ...['0251.0376.0251.0376', '025177524776', '00000251.00000376.000251.0000376'],
  ...[
    '１６９.２５４.１６９.２５４',
    '169。254。169。254',
    '169．254．169．254',
    '①⑥⑨.254.169.254',
    '1\u00ad69.254.169.254',
  ],
  ...['%31%36%39.254.169.254', '169%2e254%2e169%2e254', '0%78a9fea9fe', '16\t9.254.169.254', '169.254.169.2\n54'],
  ...['[::ffff:169.254.169.254]', '[::FFFF:A9FE:A9FE]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::169.254.169.254]'],
  ...['[::ffff:0:169.254.169.254]', '[64:ff9b::169.254.169.254]', '[64:ff9b:1::a9fe:a9fe]', '[2002:a9fe:a9fe::]'],
  ...['[2001::5601:5601]', '[2001:db8::5efe:a9fe:a9fe]', '[fe80::1]', '[FE80:0000::0001]', '[fe80::a9fe:a9fe]'],
  ...['[fd00:ec2::254]', '[fd00:0ec2:0::0254]', '[fd00:ec2::23]', '100.100.100.200', '1684301000', '168.63.129.16'],
]

/** Texts that are not host names: a proxy or a resolver may see an address in them. */
const EMPTY_PARTS = ['169.254.169.254..', '0251.0376.0251.0376..', '.metadata.example', 'a..example', '.', '..']

describe.each([
  ['without a list of hosts', undefined],
  ['with a list that has it', ['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '*.169.example']],
])('%s', (_what, hosts) => {
  test.each([...NOTATIONS, ...EMPTY_PARTS])('%j is called by no notation', async (host) => {
    for (const end of ['', ':8080', '/latest/meta-data', '?x#y', '\\@hooks.example.com/', '/@hooks.example.com']) {
      const { asked, send } = attacker(hosts ? { hosts } : {})
      await expect(send(`http://${host}${end}`)).rejects.toMatchObject(REFUSED)
      expect(asked).toEqual([])
    }
  })
})

test.each([...NOTATIONS, ...EMPTY_PARTS])('%j reaches no proxy', async (host) => {
  const proxy = await forwardProxy()
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const sender = createWebhookSender(
    { ownEnv: [] },
    {
      clock: systemClock,
      lookup: (_name, _options, done) => done(new Error('ENOTFOUND'), []),
      proxies: proxiesOf(proxy.url),
    },
  )
  onTestFinished(() => sender.close())
  for (const scheme of ['http', 'https'])
    await expect(sendTo(`${scheme}://${host}/`, sender)).rejects.toMatchObject(REFUSED)
  expect(proxy.asked).toEqual([])
})

function proxiesOf(url: string) {
  return { http: url, https: url, except: '' }
}

test.each([
  ['169.254.169.254'],
  ['127.0.0.1', '169.254.169.254'],
  ['::ffff:0:a9fe:a9fe'],
  ['64:ff9b:1::a9fe:a9fe'],
  ['fe80::1%lo'],
  ['fd00:ec2::23'],
])('no name leads there: %s', async (...addresses) => {
  const { server, port } = await receiver()
  const { asked, send } = attacker({ addresses })
  for (const host of ['metadata.google.internal', '169.254.169.254.nip.example', 'localhost.']) {
    await expect(send(`http://${host}:${port}/`)).rejects.toMatchObject(REFUSED)
  }
  expect([asked.length, server.seen.length]).toEqual([3, 0])
})

describe('a list of hosts', () => {
  const hosts = ['hooks.example.com', '*.wild.example', 'bücher.example', '10.0.0.1', 'one-port.example:8443']

  test.each([
    'hooks.example.com',
    'HOOKS.example.com.',
    'ｈooks.example.com',
    'hooks。example.com',
    'hooks%2Eexample.com',
    'hooks.example.com%2e',
    'hoo\u00adks.example.com',
    'a.b.wild.example',
    'BÜCHER.example',
    'bu\u0308cher.example',
    'xn--bcher-kva.example',
  ])('has %j, which is a notation of one of its hosts', async (host) => {
    const { server, port } = await receiver()
    const { send } = attacker({ hosts })
    expect(await send(`http://${host}:${port}/hook`)).toMatchObject({ status: 200 })
    expect(server.seen).toHaveLength(1)
  })

  test.each([
    ...['hooks.example.com.evil.example', 'evil.example/hooks.example.com', 'evil.example?hooks.example.com'],
    ...['evil.example#hooks.example.com', 'evil.example\\hooks.example.com', 'evil.example#@hooks.example.com'],
    ...['evil.example/@hooks.example.com', 'evil.example\\@hooks.example.com', 'hooks.example.com..'],
    ...['hooks-example.com', 'hooks.example.co', 'xhooks.example.com', 'hooks.example.comx', 'hооks.example.com'],
    ...['wild.example', 'evilwild.example', 'wild.example.evil.example', '.wild.example', 'bucher.example'],
    ...['10.0.0.2', '167772162', '012.0.0.2', '[::ffff:10.0.0.1]', '127.0.0.1', '[::1]', '0', '127.1', 'localhost'],
    ...['one-port.example:8444', 'one-port.example', 'hooks.example.com,evil.example', 'xn--hoks-example.com'],
  ])('has not %j', async (host) => {
    const { asked, send } = attacker({ hosts })
    await expect(send(`http://${host}`)).rejects.toMatchObject(REFUSED)
    expect(asked).toEqual([])
  })
})

test.each([
  ...['http://hooks.example.com@evil.example/', 'http://user:pass@hooks.example.com/', 'http://:@hooks.example.com@x/'],
  ...['http://169.254.169.254%20/', 'http://[fe80::1%25lo]/', 'http://425.510.425.510/', 'http://a%00.example/'],
  ...['http://hooks.example.com:99999/', 'http://256.0.0.1', 'http://[::1', 'http://', 'http:', '//hooks.example.com'],
  ...[
    'file:///etc/passwd',
    'gopher://hooks.example.com',
    'ftp://hooks.example.com',
    'data:text/plain,x',
    'blob:http://x',
  ],
  ...['javascript:1', 'ws://hooks.example.com', 'unix:/run/docker.sock', 'http+unix://x', '\u0000file:///etc/passwd'],
])('%j is no URL of a web hook, and the error does not repeat it', async (text) => {
  const { asked, send } = attacker()
  const error = await send(text).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'webhook-url', message: 'the URL of the web hook cannot be used' })
  expect(asked).toEqual([])
})

test.each([301, 302, 303, 307, 308])('a %d is not followed, wherever it leads', async (status) => {
  for (const location of [
    'http://169.254.169.254/',
    '//127.0.0.1/',
    '/next',
    'file:///etc/passwd',
    'http://0xa9fea9fe',
  ]) {
    await using server = await scriptedServer([{ status, headers: { location } }])
    const { asked, send } = attacker()
    expect(await send(`http://hooks.example.com:${new URL(server.origin).port}/`)).toMatchObject({ status })
    expect([asked, server.seen.length]).toEqual([['hooks.example.com'], 1])
  }
})

describe('an answer without end is left', () => {
  const chunked = (status: string) => `HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n`
  const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
  const bomb = gzipSync(gzipSync('x'.repeat(50_000_000)))
  const packed = `content-encoding: gzip, gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`

  /** Repeats the same text as long as the other side accepts it. */
  function flood(socket: Socket, begin: string, next: string): void {
    const more = () => {
      while (!socket.destroyed && socket.write(next));
    }
    socket.once('data', () => {
      socket.write(begin)
      if (next !== '') socket.on('drain', more)
      more()
    })
  }

  const TOO_LARGE = {
    failure: expect.stringMatching(/^(the header fields of the answer are larger than 16,384 bytes|ANSWER_TOO_LARGE)$/),
  }

  test.each([
    ['a body of a success', chunked('200 OK'), chunk, { status: 200, detail: '' }],
    ['a body of a refusal', chunked('400 No'), chunk, { status: 400, detail: 'x'.repeat(200) }],
    ['header fields', 'HTTP/1.1 400 No\r\n', 'x: y\r\n'.repeat(500), TOO_LARGE],
    ['one header field', 'HTTP/1.1 400 No\r\nx: ', 'y'.repeat(1000), TOO_LARGE],
    ['1xx answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(99), TOO_LARGE],
    ['trailers', `${chunked('400 No')}0\r\n`, 'x: y\r\n'.repeat(500), TOO_LARGE],
  ])('%s', async (_what, begin, next, result) => {
    await using server = await rawServer((socket) => flood(socket, begin, next))
    const { send } = attacker()
    expect(await send(server.url.replace('127.0.0.1', 'hooks.example.com'))).toEqual(result)
  })

  test('a bomb of gzip in gzip is unpacked no further than people are told of it', async () => {
    await using server = await rawServer((socket) =>
      socket.once('data', () => {
        socket.write(`HTTP/1.1 400 No\r\n${packed}`)
        socket.write(bomb)
      }),
    )
    const { send } = attacker()
    expect(await send(server.url.replace('127.0.0.1', 'hooks.example.com'))).toEqual({
      status: 400,
      detail: 'x'.repeat(200),
    })
  })

  test.each([
    ['nothing', '', ''],
    ['a status line', 'HTTP/1.1 400 ', 'N'],
    ['a body', chunked('400 No'), '1\r\nx\r\n'],
  ])('one that comes slowly: %s', async (_what, begin, next) => {
    await using server = await rawServer((socket) =>
      socket.once('data', () => {
        socket.write(begin)
        socket.write(next)
      }),
    )
    const { send } = attacker({ clock: hastyClock(10_000) })
    expect(await send(server.url.replace('127.0.0.1', 'hooks.example.com'))).toEqual({
      failure: 'no answer within 10 seconds',
    })
  })
})
