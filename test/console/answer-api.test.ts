import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { answerApi } from '../../src/console/server/answer-api.ts'
import { ApiFailure } from '../../src/console/server/api-failure.ts'
import type { ApiCall, ApiHandlers } from '../../src/console/server/call.ts'
import type { Caller } from '../../src/console/server/caller.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'

type Handle = (call: ApiCall) => Promise<unknown>

const TOKEN: Caller = { by: 'etl', role: 'operator', via: 'token', address: '127.0.0.1' }
const PROXY: Caller = { ...TOKEN, via: 'proxy' }

/** The answer of the API to a request, and its side effects. */
async function answered(
  {
    path = '/runs',
    query = '',
    method = 'GET',
    headers = {},
  }: { path?: string; query?: string; method?: string; headers?: object },
  {
    caller = async () => TOKEN,
    handle = async () => ({ runs: [] }),
  }: { caller?: () => Promise<Caller>; handle?: Handle } = {},
) {
  const beside: string[] = []
  const sent: { status?: number; headers?: Record<string, unknown>; body?: unknown } = {}
  const response = {
    writeHead: (status: number, its: Record<string, unknown>) => Object.assign(sent, { status, headers: its }),
    end: (text: string) => Object.assign(sent, { body: JSON.parse(text) }),
  }
  const handler = (_deps: unknown, _input: unknown, call: ApiCall) => handle(call)
  const call = {
    ...{ path, query: new URLSearchParams(query) },
    streams: {
      open: () => beside.push('a stream'),
      lookedAt: (runId: string) => beside.push(`looked at ${runId}`),
      openRun: async (_request: unknown, _response: unknown, { after }: { readonly after?: number }) =>
        beside.push(`a stream after ${after}`),
    },
    ended: { refresh: async () => beside.push('looked for ended sessions') },
    handlers: new Proxy({}, { get: () => handler }) as ApiHandlers,
    turn: async () => undefined,
    callerOf: caller,
  } as unknown as Parameters<typeof answerApi>[2]
  await answerApi(
    { method, headers, complete: true } as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    call,
    {
      settings: { console: { readOnly: false } },
      redact: (text: string) => text.replaceAll('s3cret', '***'),
      log: { error: (_facts: object, text: string) => beside.push(text) },
    } as unknown as ConsoleDeps,
  )
  return { ...sent, beside }
}

test('events of all runs are streamed to a GET, from pages of the console alone if it is not a program', async () => {
  const events = (request: object, by = TOKEN) => answered({ path: '/events', ...request }, { caller: async () => by })
  const site = (value: string) => ({ headers: { 'sec-fetch-site': value } })
  expect(await events({})).toEqual({ beside: ['a stream'] })
  expect(await events(site('cross-site'))).toEqual({ beside: ['a stream'] })
  expect(await events(site('same-origin'), PROXY)).toEqual({ beside: ['a stream'] })
  expect(await events({}, PROXY)).toEqual({ beside: ['a stream'] })
  expect(await events(site('none'), PROXY)).toMatchObject({ status: 403, beside: [] })
  expect(await events({ method: 'POST' })).toMatchObject({ status: 405, body: { code: 'wrong-method' }, beside: [] })
})

test('a handler gets the caller with the reason in the input', async () => {
  const actors: unknown[] = []
  const handle = async ({ actor }: ApiCall) => actors.push(actor)
  const upload = { path: '/files/p/t', method: 'POST', headers: { 'content-type': 'application/octet-stream' } }
  await answered({ ...upload, query: 'name=a.csv&reason=+it+is+Friday+' }, { handle })
  await answered({ ...upload, query: 'name=a.csv' }, { handle })
  const actor = { by: 'etl', role: 'operator', address: '127.0.0.1' }
  expect(actors).toEqual([{ ...actor, comment: 'it is Friday' }, actor])
})

test('an answer and a failure have no secret; an unknown failure says where the reason is', async () => {
  expect(await answered({}, { handle: async () => ({ error: 's3cret' }) })).toMatchObject({
    ...{ status: 200, body: { error: '***' }, beside: [] },
  })
  const refused = new ApiFailure(409, 'busy', 's3cret')
  expect(await answered({}, { handle: () => Promise.reject(refused) })).toMatchObject({
    ...{ status: 409, body: { code: 'busy', message: '***' }, beside: [] },
  })
  const unknown = await answered({}, { handle: () => Promise.reject(new Error('s3cret')) })
  expect(unknown).toMatchObject({
    ...{ status: 500, body: { code: 'internal' }, beside: ['a request to the API could not be answered'] },
  })
  expect(unknown.headers).not.toHaveProperty('www-authenticate')
})

test('who is unknown is asked for a token, and sessions are read anew only for a cookie', async () => {
  const caller = () => Promise.reject(new ApiFailure(401, 'no-session', 'who asks?'))
  expect(await answered({ headers: { cookie: 'a=b' } }, { caller })).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="audience"' },
    beside: ['looked for ended sessions'],
  })
  expect((await answered({ path: '/runs/r1' })).beside).toEqual(['looked at r1'])
})

test.each([
  [undefined, 200, undefined],
  ['k', 200, 'k'],
  ['k'.repeat(200), 200, 'k'.repeat(200)],
  ['k'.repeat(201), 400, undefined],
  ['', 400, undefined],
  [['k', 'l'], 400, undefined],
])('the key %j is answered by %i', async (key, status, given) => {
  const keys: unknown[] = []
  const handle: Handle = async ({ idempotencyKey }) => void keys.push(idempotencyKey)
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  // An answer without a value has no body.
  const answer = await answered({ headers }, { handle: async (call) => (await handle(call)) ?? {} })
  expect([answer.status, keys]).toEqual([status, status === 200 ? [given] : []])
})

test.each([
  [undefined, 'a stream after 3'],
  ['', 'a stream after 3'],
  ['0', 'a stream after 0'],
  ['999999999999999', 'a stream after 999999999999999'],
  ['9999999999999999', 400],
  ['1e3', 400],
  ['-1', 400],
])('a reader that got %j last gets %s', async (last, told) => {
  const headers = last === undefined ? {} : { 'last-event-id': last }
  const handle: Handle = (call) => call.streamRun({ after: 3 } as Parameters<ApiCall['streamRun']>[0])
  const { status, beside } = await answered({ headers }, { handle })
  expect(status ?? beside[0]).toBe(told)
})
