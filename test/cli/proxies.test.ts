import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { commandLine } from '../support/command-line.ts'
import { forwardProxy } from '../support/forward-proxy.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PAGE = { segments: [], page: 0, pageSize: 10, hasMore: false }
const PASSWORD = 'pr0xy-p4ssword'

/** Lists the segments of a service whose name only the proxy can resolve. */
async function listed(options: {
  env?: (proxyUrl: string) => Record<string, string>
  proxy?: 'none'
  status?: number
}) {
  await using proxy = await forwardProxy(() => options.status ?? 'pass')
  await using server = await scriptedServer([{ json: PAGE }])
  const cwd = tempFolder()
  // With `proxy: none`, the name must be one that this machine can resolve.
  const baseUrl = options.proxy ? server.url : server.url.replace('127.0.0.1', 'service.invalid')
  writeFileSync(
    join(cwd, 'audience.yaml'),
    JSON.stringify({ profiles: { other: { baseUrl, token: 'a-token-0001', proxy: options.proxy } } }),
  )
  const withPassword = proxy.url.replace('//', `//jo:${PASSWORD}@`)
  const env = options.env?.(withPassword) ?? { HTTP_PROXY: withPassword }
  const { code, out, err } = await commandLine(['api', 'segments.list', '--profile', 'other'], { cwd, env })
  expect(out + err).not.toContain(PASSWORD)
  return { code, err, asked: proxy.asked.length, seen: server.seen.length }
}

describe('the proxies of the environment', () => {
  test.each(['HTTP_PROXY', 'http_proxy'])('%s leads to the service', async (name) => {
    expect(await listed({ env: (url) => ({ [name]: url }) })).toMatchObject({ code: 0, asked: 1, seen: 1 })
  })

  test('a profile goes without one', async () => {
    expect(await listed({ proxy: 'none' })).toMatchObject({ code: 0, asked: 0, seen: 1 })
  })

  test('a proxy that refuses is named, without its password, and ends with 4', async () => {
    const { code, err } = await listed({ status: 407 })
    expect(code).toBe(4)
    expect(err).toMatch(/the proxy http:\/\/127\.0\.0\.1:\d+ of HTTP_PROXY refuses: 407/)
  })

  test('one that cannot be used is an error before anything is sent', async () => {
    const { code, err, seen } = await listed({ env: () => ({ HTTP_PROXY: `socks5://jo:${PASSWORD}@proxy.test:1080` }) })
    expect([code, seen]).toEqual([3, 0])
    expect(err).toContain('the proxy in HTTP_PROXY cannot be used')
  })

  test('documents cannot read them', async () => {
    const cwd = tempFolder()
    const file = join(cwd, 'p.yaml')
    writeFileSync(file, 'version: 1\nname: p\nenv: [HTTPS_PROXY, no_proxy]\nsteps:\n  - { id: a, uses: groups.list }\n')
    const { code, err, out } = await commandLine(['validate', file], { cwd })
    expect(code).toBe(3)
    expect(out + err).toContain('HTTPS_PROXY is for audience itself: documents cannot read it')
    expect(out + err).toContain('no_proxy is for audience itself: documents cannot read it')
  })

  test('policy.env cannot allow them', async () => {
    const cwd = tempFolder()
    writeFileSync(join(cwd, 'audience.yaml'), 'policy: { env: [HTTP_PROXY] }\n')
    const { code, err } = await commandLine(['api', 'segments.list'], { cwd })
    expect(code).toBe(3)
    expect(err).toContain('HTTP_PROXY is for audience itself: documents cannot read it')
  })

  test('the embedded service is reached without', async () => {
    await using proxy = await forwardProxy(() => 502)
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }
    const { code } = await commandLine(['api', 'segments.list', '--profile', 'local'], { cwd: tempFolder(), env })
    expect([code, proxy.asked]).toEqual([0, []])
  })
})
