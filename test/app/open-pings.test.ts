import { expect, test } from 'vitest'
import { openPings } from '../../src/app/open-pings.ts'
import { parseConfig } from '../../src/config/load-settings.ts'
import { policyOf } from '../../src/config/policy-of.ts'
import type { InvalidDocumentError } from '../../src/core/errors.ts'
import { createSecrets } from '../../src/core/secrets.ts'
import type { Ping } from '../../src/daemon/pings/create-pinger.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { pingReceiver } from '../daemon/pings/support/ping-receiver.ts'
import { forwardProxy } from '../support/forward-proxy.ts'

const KEY = ['K3Y', 'of', 'the', 'monitor'].join('-')
const { signal } = new AbortController()

function open(yaml: string, env: Record<string, string> = { HC_KEY: KEY }) {
  const secrets = createSecrets()
  const plan = openPings({ settings: parseConfig(yaml, 'audience.yaml'), env, secrets, clock: systemClock })
  return { plan, secrets }
}
const ping = (own: Partial<Ping> = {}): Ping => ({ check: 'nightly', outcome: 'success', at: 0, lateAt: 0, ...own })

test('without heartbeats there are none', () => {
  expect(open('state: x').plan).toBeUndefined()
})

test('a success, a failure and the daemon are pinged by the key and the name of the check', async () => {
  const { origin, pings } = await pingReceiver()
  const { plan, secrets } = open(
    `heartbeats: { url: "${origin}/ping/", keyEnv: HC_KEY, daemon: prod, every: 5m, pipelines: true }`,
  )
  expect(plan).toMatchObject({ daemon: { check: 'prod', everyMs: 300_000 }, pipelines: true })
  for (const each of [ping({ check: 'prod' }), ping({ runId: 'run-1' }), ping({ outcome: 'fail', runId: 'run-1' })])
    expect(await plan?.send(each, signal)).toBe('done')
  const rid = new URL(pings[1] ?? '', origin).searchParams.get('rid')
  expect(rid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(pings).toEqual([
    `/ping/${KEY}/prod`,
    `/ping/${KEY}/nightly?rid=${rid}`,
    `/ping/${KEY}/nightly/fail?rid=${rid}`,
  ])
  // Each run has a different id.
  await plan?.send(ping({ runId: 'run-2' }), signal)
  expect(pings[3]).not.toBe(pings[1])
  expect(secrets.redact(`${origin}${pings[0]}`)).toBe(`${origin}/ping/***/prod`)
})

test('what the monitor says never shows the key, and says whether to try again', async () => {
  const { origin, answer } = await pingReceiver()
  const { plan } = open(`heartbeats: { url: "${origin}", keyEnv: HC_KEY, pipelines: true }`)
  for (const [status, again] of [
    [404, false],
    [429, true],
    [503, true],
  ] as const) {
    answer(status)
    const result = await plan?.send(ping(), signal)
    expect(result).toMatchObject({ again, problem: expect.stringContaining(`it answered ${status}`) })
    expect(JSON.stringify(result)).not.toContain(KEY)
  }
})

test('a request in progress ends with its signal', async () => {
  const { origin, pings, answer } = await pingReceiver()
  answer('hang')
  const { plan } = open(`heartbeats: { url: "${origin}", keyEnv: HC_KEY, pipelines: true }`)
  const stopping = new AbortController()
  const sending = plan?.send(ping(), stopping.signal)
  await expect.poll(() => pings.length).toBe(1)
  stopping.abort()
  expect(await sending).toMatchObject({ again: true })
})

test('a variable that is not set is an error at the start, and documents never read it', () => {
  const yaml = 'heartbeats: { url: "https://hc.example.com", keyEnv: HC_KEY, pipelines: true }'
  expect(() => open(yaml, {})).toThrow('the environment variable HC_KEY with the key of the heartbeats is not set')
  expect(policyOf(parseConfig(yaml, 'audience.yaml'), '/p/audience.yaml').ownEnv).toContain('HC_KEY')
})

test.each([
  ['url: "ftp://x.example.com", keyEnv: K, pipelines: true', 'url must be an http(s) address'],
  ['url: "https://u:p@x.example.com", keyEnv: K, pipelines: true', 'url must be an http(s) address'],
  ['url: "https://x.example.com/?a=b", keyEnv: K, pipelines: true', 'url must be an http(s) address'],
  ['url: "https://x.example.com", keyEnv: K, daemon: d, every: 5s', 'every must be at least 15s'],
  ['url: "https://x.example.com", keyEnv: K', 'heartbeats need daemon: NAME or pipelines: true'],
  ['url: "https://x.example.com", pipelines: true', 'keyEnv'],
  ['url: "https://x.example.com", keyEnv: K, daemon: "A b"', 'daemon'],
])('heartbeats: { %s } is refused', (text, message) => {
  let found: readonly string[] = []
  try {
    parseConfig(`heartbeats: { ${text} }`, 'audience.yaml')
  } catch (error) {
    found = (error as InvalidDocumentError).diagnostics.map((each) => each.message)
  }
  expect(found.join()).toContain(message)
})

test('pings go through the proxy of the environment', async () => {
  const { origin, pings } = await pingReceiver()
  await using proxy = await forwardProxy()
  const url = `http://monitor.example.com:${new URL(origin).port}`
  const { plan } = open(`heartbeats: { url: "${url}", keyEnv: HC_KEY, pipelines: true }`, {
    HC_KEY: KEY,
    HTTP_PROXY: proxy.url,
  })
  expect(await plan?.send(ping(), signal)).toBe('done')
  expect(pings).toEqual([`/${KEY}/nightly`])
  expect(proxy.asked).toHaveLength(1)
})
