import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiOperation } from '../../../src/console/api/api-operation.ts'
import { apiOperations } from '../../../src/console/api/operations.ts'
import { mayDo, ROLES } from '../../../src/core/role.ts'
import { DOCUMENTS } from '../documents.ts'
import {
  type ConsoleBench,
  linkOf,
  type SessionHeaders,
  send,
  sessionOf,
  startConsoleBench,
  TOKENS,
} from '../support/console-bench.ts'

const OPERATIONS = Object.entries<ApiOperation>(apiOperations)
const pathOf = ({ path }: ApiOperation) => `api/v1${path.replaceAll(/\{\w+\}/g, 'none')}`

describe.each([
  ['/', ''],
  ['/tools/audience/', '  basePath: /tools/audience/'],
])('at %s', (basePath, config) => {
  let bench: ConsoleBench
  let session: SessionHeaders
  /** What the pages of another session store. */
  let another: string

  beforeAll(async () => {
    bench = await startConsoleBench(DOCUMENTS, { config })
    session = await sessionOf(bench)
    another = (await sessionOf(bench))['x-audience-session']
  })
  afterAll(() => bench.stop())

  const own = () => ({ ...session, 'sec-fetch-site': 'same-origin', 'x-audience-console': '1' })
  /** A request that passes the security checks but has nothing to act on. */
  const good = ({ method, upload }: ApiOperation) => ({
    method,
    ...(method === 'POST' && { text: '{"nothing":1}' }),
    headers: {
      ...own(),
      ...(method === 'POST' && { 'content-type': upload ? 'application/octet-stream' : 'application/json' }),
    },
  })
  const codeOf = async (operation: ApiOperation, change: { method?: string; headers?: Record<string, string> }) => {
    const asked = good(operation)
    const { status, body } = await bench.ask(pathOf(operation), { ...asked, ...change })
    return `${status} ${body.code ?? ''}`
  }
  const without = (operation: ApiOperation, ...names: string[]) => ({
    headers: Object.fromEntries(Object.entries(good(operation).headers).filter(([name]) => !names.includes(name))),
  })
  const withHeaders = (operation: ApiOperation, headers: Record<string, string>) => ({
    headers: { ...good(operation).headers, ...headers },
  })

  test('of what it keeps in the state only its owner may read, and no token is there', async () => {
    await bench.command('console', '--json')
    await bench.browse('me')
    const state = join(bench.project.folder, 'state/console')
    const files = readdirSync(state)
    expect(files.map((name) => name.replace(/-[0-9a-f]+$/, ''))).toEqual(['console-link', 'console.key'])
    for (const name of files) expect(statSync(join(state, name)).mode & 0o077).toBe(0)
  })

  test('the console is there and nowhere above', async () => {
    expect(bench.url.endsWith(basePath)).toBe(true)
    expect((await bench.ask('')).text).toContain(`${basePath}assets/`)
    const outside = await send(new URL('/api/v1/me', bench.url), { headers: own() })
    expect(outside.status).toBe(basePath === '/' ? 200 : 404)
  })

  test.each(OPERATIONS)('%s lets in whom it should', async (_id, operation) => {
    const outcomes = {
      noCookie: await codeOf(operation, without(operation, 'cookie')),
      // What another user's server on this machine gets: a browser sends a cookie to all ports of a host.
      cookieAlone: await codeOf(operation, without(operation, 'x-audience-session')),
      halfOfAnother: await codeOf(operation, withHeaders(operation, { 'x-audience-session': another })),
      forged: await codeOf(
        operation,
        withHeaders(operation, { cookie: session.cookie.replace(/(?<=\.)./, (start) => (start === 'A' ? 'B' : 'A')) }),
      ),
      wrongToken: await codeOf(operation, withHeaders(operation, { authorization: `Bearer ${TOKENS.viewer}x` })),
      wrongHost: await codeOf(operation, withHeaders(operation, { host: 'evil.example' })),
      crossSite: await codeOf(operation, withHeaders(operation, { 'sec-fetch-site': 'cross-site' })),
      otherPort: await codeOf(operation, withHeaders(operation, { 'sec-fetch-site': 'same-site' })),
      wrongMethod: await codeOf(operation, { method: 'PUT' }),
    }
    expect(outcomes).toEqual({
      noCookie: '401 no-session',
      cookieAlone: '401 no-session',
      halfOfAnother: '401 no-session',
      forged: '401 no-session',
      wrongToken: '401 bad-token',
      wrongHost: '421 ',
      crossSite: '403 cross-site',
      otherPort: '403 cross-site',
      wrongMethod: '405 wrong-method',
    })
    // What the operation then does with this input does not matter here.
    expect(await codeOf(operation, {})).not.toMatch(/^(401|403|405|415|421|5)/)
    if (operation.method === 'GET') return
    const written = {
      noHeader: await codeOf(operation, without(operation, 'x-audience-console')),
      typed: await codeOf(operation, withHeaders(operation, { 'sec-fetch-site': 'none' })),
      unknownPage: await codeOf(operation, without(operation, 'sec-fetch-site')),
      otherOrigin: await codeOf(operation, {
        headers: { ...without(operation, 'sec-fetch-site').headers, origin: 'http://evil.example' },
      }),
      form: await codeOf(operation, withHeaders(operation, { 'content-type': 'text/plain' })),
      noType: await codeOf(operation, without(operation, 'content-type')),
    }
    expect(written).toEqual({
      noHeader: '403 header-missing',
      typed: '403 cross-site',
      unknownPage: '403 cross-site',
      otherOrigin: '403 cross-site',
      form: '415 wrong-type',
      noType: '415 wrong-type',
    })
    const ownOrigin = { ...without(operation, 'sec-fetch-site').headers, origin: new URL(bench.url).origin }
    expect(await codeOf(operation, { headers: ownOrigin })).not.toMatch(/^(401|403|415|421|5)/)
  })

  test.each(OPERATIONS)('%s needs its role', async (_id, operation) => {
    for (const role of ROLES) {
      const { cookie: _cookie, 'x-audience-session': _half, ...headers } = good(operation).headers
      const asked = { ...good(operation), headers: { ...headers, authorization: `Bearer ${TOKENS[role]}` } }
      const { status, body } = await bench.ask(pathOf(operation), asked)
      if (mayDo(role, operation.role)) expect(status).not.toBe(403)
      else expect([status, body.code]).toEqual([403, 'role-missing'])
    }
  })

  test('a link works once, and its cookie is for this console and no script', async () => {
    const url = await linkOf(bench)
    const [first, second] = await Promise.all([send(url), send(url)])
    const statuses = [first.status, second.status].sort()
    expect(statuses).toEqual([200, 403])
    const [set = ''] = (first.status === 200 ? first : second).headers['set-cookie'] ?? []
    expect(set).toMatch(new RegExp(`; Path=${basePath}; HttpOnly; SameSite=Strict$`))
    expect((await send(url)).headers['set-cookie']).toBeUndefined()
    expect((await bench.ask('login?token=x')).status).toBe(403)
    // Without it, the browser requests /favicon.ico, which may belong to another program.
    for (const { text } of [first, second])
      expect(text).toContain(`<link rel="icon" type="image/svg+xml" href="${basePath}assets/`)
  })

  test('every answer forbids scripts and styles of others, frames and guesses, and no API answer is kept', async () => {
    for (const path of ['', 'runs/some/page', 'api/v1/me', 'api/v1/nothing', 'login', 'assets/none.js']) {
      const { headers } = await bench.ask(path, { headers: own() })
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'")
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      if (path.startsWith('api')) expect(headers['cache-control']).toBe('no-store')
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})
