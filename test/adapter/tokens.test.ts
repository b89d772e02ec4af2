import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandToken } from '../../src/adapter/command-token.ts'
import { fileToken } from '../../src/adapter/file-token.ts'
import { oauth2Token } from '../../src/adapter/oauth2-token.ts'
import { renewableToken, staticToken, type TokenProvider } from '../../src/adapter/tokens.ts'
import { fakeClock } from './fake-clock.ts'
import { type Reply, type Seen, scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const JOB = { id: '7', status: 'READY' }

/** Accepts only these tokens, in order: once the next one has been seen, the previous one is refused forever. */
function accepting(token: () => string): (seen: Seen) => Reply {
  return (seen) => (seen.headers.authorization === `Bearer ${token()}` ? { json: JOB } : { status: 401 })
}

async function tempFolder() {
  const path = await mkdtemp(join(tmpdir(), 'audience-token-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

test('a token file is read again when the service refuses what it held (decision 10)', async () => {
  await using folder = await tempFolder()
  const path = join(folder.path, 'token')
  let good = 'first'
  await writeFile(path, 'first\n')
  await using server = await scriptedServer(accepting(() => good))
  await using client = testClient(server.url, { token: fileToken(path, fakeClock()) })
  await client.api.jobs.get({ jobId: '7' })
  good = 'second'
  await writeFile(path, 'second\n')
  await client.api.jobs.get({ jobId: '7' })
  await client.api.jobs.get({ jobId: '7' })
  expect(server.seen.map((seen) => seen.headers.authorization)).toEqual(
    ['first', 'first', 'second', 'second'].map((t) => `Bearer ${t}`),
  )
})

test('a command prints the token, and runs again only when it was refused (decision 10)', async () => {
  await using folder = await tempFolder()
  const count = join(folder.path, 'count')
  const script = `const fs=require('fs');fs.appendFileSync(${JSON.stringify(count)},'x');console.log('t'+fs.statSync(${JSON.stringify(count)}).size)`
  await using server = await scriptedServer(accepting(() => 't2'))
  await using client = testClient(server.url, { token: commandToken([process.execPath, '-e', script], fakeClock()) })
  await client.api.jobs.get({ jobId: '7' })
  await client.api.jobs.get({ jobId: '7' })
  expect(server.seen.map((seen) => seen.headers.authorization)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t2'])
})

test.each<[string, TokenProvider, RegExp]>([
  ['a missing file', fileToken('/nowhere/token', fakeClock()), /token file \/nowhere\/token cannot be read \(ENOENT\)/],
  [
    'a failing command',
    commandToken([process.execPath, '-e', 'console.error("hush");process.exit(3)'], fakeClock()),
    /failed \(3\)$/,
  ],
  ['a silent command', commandToken([process.execPath, '-e', ''], fakeClock()), /holds no access token/],
])('%s is an error of kind unavailable, and nothing is sent', async (_name, token, message) => {
  await using server = await scriptedServer([{ json: JOB }])
  await using client = testClient(server.url, { token })
  const error = await client.api.jobs.get({ jobId: '7' }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(message) })
  expect(String(error)).not.toContain('hush')
  expect(server.seen).toEqual([])
})

test('a token that stays as it is has no blanks around it, and none at all is refused before a request', () => {
  expect(staticToken(' abc\n').get()).toBe('abc')
  expect(() => staticToken('', 'the environment variable T')).toThrow(
    'the environment variable T holds no access token',
  )
  const text = 'hush\r\nx: y'
  expect(() => staticToken(text)).toThrow(/^the configured token holds something that is not an access token$/)
})

const oauth = (url: string, clock = fakeClock(), learn: (secret: string) => void = () => undefined) =>
  oauth2Token(
    { tokenUrl: `${url}/token`, clientId: 'me:1', clientSecret: 'hush hush', scope: 'a b', audience: 'x' },
    { clock, learn },
  )

test('client credentials are sent as RFC 6749 has them', async () => {
  await using server = await scriptedServer([{ json: { access_token: 'abc', token_type: 'Bearer', expires_in: 3600 } }])
  expect(await oauth(server.origin).get()).toBe('abc')
  const [seen] = server.seen
  expect(seen).toMatchObject({
    method: 'POST',
    url: '/token',
    body: 'grant_type=client_credentials&scope=a+b&audience=x',
  })
  expect(seen!.headers['content-type']).toBe('application/x-www-form-urlencoded')
  const basic = String(seen!.headers.authorization).replace('Basic ', '')
  expect(Buffer.from(basic, 'base64').toString()).toBe('me%3A1:hush+hush')
})

test.each([
  [
    { status: 401, json: { error: 'invalid_client', error_description: 'hush hush' } },
    'no-token',
    /refused: 401 invalid_client$/,
  ],
  [{ status: 400, body: 'hush hush' }, 'no-token', /refused: 400$/],
  [{ status: 499, body: 'hush hush' }, 'no-token', /refused: 499$/],
  [{ status: 429, body: 'hush hush' }, 'token-unavailable', /refused: 429$/],
  [{ status: 500, body: 'hush hush' }, 'token-unavailable', /refused: 500$/],
  [{ status: 503, body: 'hush hush' }, 'token-unavailable', /refused: 503$/],
  [{ json: { token: 'hush hush' } }, 'no-token', /sent no access_token$/],
  [{ status: 200, body: '<html>hush hush</html>' }, 'token-unavailable', /sent no JSON$/],
  ['reset', 'token-unavailable', /did not answer/],
] as const)('the token server’s %j is an error without its secrets', async (reply, code, message) => {
  await using server = await scriptedServer([reply])
  const error = await Promise.resolve(oauth(server.origin).get()).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code, kind: 'unavailable', message: expect.stringMatching(message) })
  expect(JSON.stringify([error, (error as Error).cause, String(error)])).not.toContain('hush')
})

test.each([
  ['is over after its second', 1, 2],
  ['in words is over after its second', '1', 2],
  ['of no time is used until it is refused', 0, 1],
  ['of less than no time is used until it is refused', -1, 1],
  ['that is unreadable is used until it is refused', 'soon', 1],
  ['that is not stated is used until it is refused', undefined, 1],
])('a token with a life that %s', async (_name, expires_in, fetches) => {
  await using server = await scriptedServer([{ json: { access_token: 'abc', expires_in } }])
  const clock = fakeClock()
  const token = oauth(server.origin, clock)
  await token.get()
  clock.advance(899)
  await token.get()
  expect(server.seen).toHaveLength(1)
  clock.advance(1)
  await token.get()
  expect(server.seen).toHaveLength(fetches)
})

test.each([
  ['a token that is used', { access_token: 'abc' }, ['abc']],
  ['no token that can be used', { error: 'a mistake' }, []],
] as const)('every token of an answer with %s becomes known as a secret', async (_name, rest, used) => {
  const others = { refresh_token: 'refresh-1', id_token: ' id-1 ', device_secret: 'device-1' }
  const names = { token_type: 'Bearer', issued_token_type: 'urn:x', scope: 'a b', expires_in: 60, old_token: null }
  await using server = await scriptedServer([{ json: { ...others, ...names, ...rest } }])
  const known: string[] = []
  await Promise.resolve(oauth(server.origin, fakeClock(), (secret) => known.push(secret)).get()).catch(() => undefined)
  expect(known).toEqual(['refresh-1', 'id-1', 'device-1', ...used])
})

test('a token server that is away for a moment does not fail a call', async () => {
  await using tokens = await scriptedServer(['reset', { status: 503 }, { json: { access_token: 'abc' } }])
  await using server = await scriptedServer([{ json: JOB }])
  await using client = testClient(server.url, { token: oauth(tokens.origin) })
  expect(await client.api.jobs.get({ jobId: '7' })).toEqual(JOB)
})

/** A renewable token that counts its fetches. Each is answered when the test says so. */
function counted(lifetimeMs: number | undefined) {
  const clock = fakeClock()
  const state = { fetches: 0, fails: false }
  const provider = renewableToken(async () => {
    state.fetches += 1
    await Promise.resolve()
    if (state.fails) throw new Error('away')
    return { token: `t${state.fetches}`, lifetimeMs }
  }, clock)
  return { clock, state, provider }
}

test('a token is fetched once for all who ask at the same time', async () => {
  const { state, provider } = counted(undefined)
  expect(await Promise.all([provider.get(), provider.get(), provider.get()])).toEqual(['t1', 't1', 't1'])
  expect(provider.get()).toBe('t1')
  expect(state.fetches).toBe(1)
})

test.each([
  [3_600_000, 3_540_000],
  [100_000, 90_000],
])('a token that lasts %i ms is renewed after %i ms', async (lifetimeMs, renewedAfterMs) => {
  const { clock, provider } = counted(lifetimeMs)
  await provider.get()
  clock.advance(renewedAfterMs - 1)
  expect(await provider.get()).toBe('t1')
  clock.advance(1)
  expect(await provider.get()).toBe('t2')
})

test('a renewal that fails is an error only when the old token has ended', async () => {
  const { clock, state, provider } = counted(100_000)
  await provider.get()
  state.fails = true
  clock.advance(95_000)
  expect(await provider.get()).toBe('t1')
  clock.advance(5_000)
  await expect(provider.get()).rejects.toThrow('away')
})

test('a late refusal of an old token does not throw away the new one', async () => {
  const { state, provider } = counted(undefined)
  await provider.get()
  provider.refused('t1')
  await provider.get()
  provider.refused('t1')
  expect(await provider.get()).toBe('t2')
  expect(state.fetches).toBe(2)
})
