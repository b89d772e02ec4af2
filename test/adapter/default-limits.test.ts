import { expect, test } from 'vitest'
import { rawServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'
import { passInUndici } from './undici-time.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'
const TARGET = 'https://service.invalid/p/1'

interface Silence {
  readonly limitMs: number
  readonly outcome: 'notSent' | 'unknown'
  readonly target?: (url: string) => string
  readonly isProxy?: boolean
  readonly says?: string
}

const SILENT: Readonly<Record<string, Silence>> = {
  'a service that says nothing to a beginning of TLS': {
    ...{ limitMs: 10_000, outcome: 'notSent' },
    target: (url) => url.replace('http:', 'https:'),
  },
  'a proxy that makes no tunnel': { limitMs: 10_000, outcome: 'notSent', target: () => TARGET, isProxy: true },
  'a service that does not answer': { limitMs: 60_000, outcome: 'unknown' },
  'a service that ends no answer': { limitMs: 60_000, outcome: 'unknown', says: HEAD },
}

test.each(Object.entries(SILENT))(
  'without limits of its own a client waits for %s so long, and no longer',
  async (_name, { limitMs, outcome, target = (url: string) => url, isProxy = false, says }) => {
    const heard = Promise.withResolvers<void>()
    await using server = await rawServer((socket) =>
      socket.once('data', () => (says ? socket.write(says, () => heard.resolve()) : heard.resolve())),
    )
    const { origin } = new URL(server.url)
    await using client = testClient(target(server.url), {
      proxies: isProxy ? { http: origin, https: origin, except: '' } : undefined,
    })
    const match = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
    let ended: unknown
    client.api.matches.create(match, { maxAttempts: 1 }).catch((error: unknown) => {
      ended = error
    })
    await heard.promise
    await passInUndici(1000)
    await passInUndici(limitMs / 2)
    expect(ended).toBeUndefined()
    await passInUndici(limitMs)
    expect(ended).toMatchObject({ request: { outcome } })
  },
)
