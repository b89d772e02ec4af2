import { expect, test } from 'vitest'
import { isNotFound } from '../../src/adapter/api-error.ts'
import { staticToken } from '../../src/adapter/tokens.ts'
import type { OperationId } from '../../src/contract/operations.ts'
import { type Reply, rawServer, scriptedServer } from './scripted-server.ts'
import { TOKEN, testClient } from './test-client.ts'

/** The result of a call with these replies: its value, or its error. */
async function outcome(id: OperationId, input: object, script: readonly Reply[], maxAttempts = 1) {
  await using server = await scriptedServer(script)
  await using client = testClient(server.url, { limits: { maxResponseBytes: 100_000 } })
  const settled = await client.api.untyped.call(id, input, { maxAttempts }).then(
    (value) => ({ value, error: undefined }),
    (error: Error) => ({ value: undefined, error }),
  )
  const warnings = client.logs.filter((line) => line.level === 40).map((line) => line.msg)
  return { ...settled, warnings, requests: server.seen.length }
}

const getJob = (reply: Reply, jobId = '7') => outcome('jobs.get', { jobId }, [reply])
const createMatch = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }

test.each([
  ['any 2xx', { status: 207, json: { id: '7', status: 'READY' } }, { id: '7', status: 'READY' }],
  [
    'any JSON type',
    { headers: { 'content-type': 'text/json' }, body: '{"id":"7","status":"READY"}' },
    { id: '7', status: 'READY' },
  ],
  ['a byte order mark', { body: '\ufeff{"id":"7","status":"READY"}' }, { id: '7', status: 'READY' }],
  [
    'unknown fields',
    { json: { id: '7', status: 'READY', x: { y: [1] } } },
    { id: '7', status: 'READY', x: { y: [1] } },
  ],
  [
    'ids that do not apply as null and ""',
    { json: { id: '7', status: 'READY', segmentId: null, matchId: '' } },
    { id: '7', status: 'READY' },
  ],
  [
    'ids of a job as numbers',
    { body: '{"id":9007199254740993,"status":"READY","matchId":9007199254740995}' },
    { id: '9007199254740993', status: 'READY', matchId: '9007199254740995' },
  ],
] as const)('%s is accepted (decisions 6, 12, 34, 70)', async (_name, reply, value) => {
  expect(await getJob(reply, value.id)).toMatchObject({ value, error: undefined })
})

test('what is no job is taken as it is: an id that is null, a long status, and any other long text', async () => {
  const match = { matchId: '7', status: 'x'.repeat(300), segmentId: null, note: 'y'.repeat(300) }
  expect(await outcome('matches.get', { matchId: '7' }, [{ json: match }])).toMatchObject({ value: match })
})

test('a token that the service repeats is not in the answer, and a short one could be any word', async () => {
  const said = { matchId: '7', status: 'FINISHED', note: `for ${TOKEN}`, [TOKEN]: 1 }
  const { value } = await outcome('matches.get', { matchId: '7' }, [{ json: said }])
  expect(value).toMatchObject({ note: 'for ***', '***': 1 })
  await using server = await scriptedServer([{ json: { ...said, note: 'a lookalike' } }])
  await using client = testClient(server.url, { token: staticToken('lookalike') })
  expect(await client.api.untyped.call('matches.get', { matchId: '7' })).toMatchObject({ note: 'a lookalike' })
})

test('64-bit ids come exactly, as strings, in lists too, and unknown integers stay exact (decision 68)', async () => {
  const matches =
    '{"matches":[{"matchId":9007199254740993,"status":"FINISHED","big":9007199254740995}],"page":0,"pageSize":10,"hasMore":false}'
  const { value } = await outcome('matches.list', {}, [{ body: matches }])
  expect(value).toMatchObject({ matches: [{ matchId: '9007199254740993', big: 9007199254740995n }] })
})

test.each([
  ['segments.delete', { id: '1' }, { status: 200 }],
  ['matches.delete', { matchId: '1' }, { status: 204 }],
  ['activations.delete', { id: '1' }, { status: 202, body: '\r\n' }],
] as const)('%s ends well with any success that has no body (decisions 53, 76)', async (id, input, reply) => {
  expect(await outcome(id, input, [reply])).toMatchObject({ value: undefined, error: undefined })
})

test.each([
  ['an empty body', {}],
  ['204', { status: 204 }],
  ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>log in</html>' }],
  ['truncated JSON', { body: '{"id":"7","sta' }],
  ['a list', { json: [] }],
  ['a job without its id', { json: { status: 'READY' } }],
  ['a job whose id is another path', { json: { id: '..', status: 'READY' } }],
  ['a job whose id is half a character', { body: '{"id":"\\ud800","status":"READY"}' }],
  ['more than the limit', { json: { id: '7', status: 'READY', x: 'x'.repeat(200_000) } }],
] as const)('%s where a job was promised leaves the outcome of a write open', async (_name, reply) => {
  const { error, requests } = await outcome('matches.create', createMatch, [reply], 5)
  expect(error).toMatchObject({ code: 'bad-answer', request: { outcome: 'unknown' } })
  expect(requests).toBe(1)
})

test('a word that is cut leaves no half of a secret', async () => {
  const word = `${'x'.repeat(95)}${TOKEN}`
  await using server = await scriptedServer([
    { json: { id: '5', status: word } },
    { json: { activations: [{ id: '1', Status: word }], page: 0, pageSize: 10, hasMore: false } },
  ])
  await using client = testClient(server.url)
  const job = await client.api.untyped.call('jobs.get' as never, { jobId: '5' } as never)
  await client.api.untyped.call('activations.list' as never, { pageSize: 10 } as never)
  expect(job).toMatchObject({ status: `${'x'.repeat(95)}***` })
  expect(JSON.stringify(client.logs)).toContain(`${'x'.repeat(95)}***`)
  expect(JSON.stringify([job, client.logs])).not.toContain(TOKEN.slice(0, 5))
})

test('unknown values of an open enumeration pass, with one warning each (decisions 12, 31, 125)', async () => {
  const activation = (Status: string) => ({ ActivationId: '1', Status, myRole: 'Requester' })
  const activations = [activation('Activated'), activation('Paused'), activation('Paused'), activation('Odd')]
  const result = await outcome('activations.list', {}, [{ json: { activations } }])
  expect(result.value).toEqual({ activations })
  expect(result.warnings).toEqual([
    'activations.list: unknown Status "Paused"',
    'activations.list: unknown Status "Odd"',
  ])
})

test('a body that is nested too deep is no answer, and the error says so', async () => {
  const deep = `{"id":"7","status":"READY","x":${'['.repeat(40_000)}${']'.repeat(40_000)}}`
  const why = 'the answer cannot be used: it is nested deeper than 100 levels'
  for (const [id, input] of [
    ['jobs.get', { jobId: '7' }],
    ['matches.create', createMatch],
  ] as const) {
    const { error } = await outcome(id, input, [{ headers: { 'content-type': 'application/json' }, body: deep }])
    expect(error).toMatchObject({ code: 'bad-answer', request: { outcome: 'unknown', detail: why } })
  }
  const { error } = await getJob({ status: 400, body: deep })
  expect(error).toMatchObject({ request: { outcome: 'rejected' } })
})

test('HASHED with a signal that our service refuses is only a warning (decision 41)', async () => {
  const input = {
    segmentFileName: 'a',
    participantSegmentId: 'a',
    segmentName: 'a',
    uploadSignal: 'BGID',
    resultContent: 'HASHED',
  }
  const { error, warnings } = await outcome('segments.create', input, [{ json: { id: '1', status: 'PENDING' } }])
  expect(error).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('resultContent HASHED is not allowed with')])
})

test.each([
  ['matches.get', { matchId: '1' }, 404, {}, true],
  ['matches.refresh', { matchId: '1' }, 400, { detail: 'match not found' }, true],
  ['matches.refresh', { matchId: '1' }, 400, { detail: 'x', type: 'https://x/problems/not-found' }, true],
  ['matches.create', createMatch, 400, { detail: 'segmentId: there is no segment s' }, true],
  ['matches.refresh', { matchId: '1' }, 400, { detail: 'unknown field x' }, false],
  ['matches.refresh', { matchId: '1' }, 400, { detail: 'the match has an active job' }, false],
  ['segments.get', { id: '1' }, 404, {}, true],
  [
    'activations.create',
    { activationName: 'a', segmentId: 's', matchJobId: '1', refreshRate: 30, actionType: 'REQUEST' },
    404,
    {},
    true,
  ],
  ['files.list', { uploadSignal: 'IP', resultContent: 'BGID' }, 404, {}, false],
] as const)('%s with %j and %i %j is not found: %s (decision 74)', async (id, input, status, json, missing) => {
  const { error } = await outcome(id, input, [{ status, json }])
  expect(isNotFound(error)).toBe(missing)
})

test('no integration that matches is an empty list, although it is a 404 (decision 121)', async () => {
  const { value } = await outcome('integrations.list', { status: 'ENABLED', purpose: 'EXPORT', pageSize: 20 }, [
    { status: 404 },
  ])
  expect(value).toEqual({ integrations: [], page: 0, pageSize: 20, hasMore: false })
})

test.each([
  [
    'problem+json',
    { json: { title: 'Bad', detail: 'partnerId or groupId is required' } },
    '400 partnerId or groupId is required',
  ],
  [
    'pointers',
    { json: { detail: 'invalid', errors: [{ pointer: '/cpm', detail: 'is negative' }] } },
    '400 invalid; /cpm is negative',
  ],
  [
    'pointers to what was said',
    { json: { detail: 'cpm: is negative', errors: [{ pointer: '/cpm', detail: 'is negative' }] } },
    '400 cpm: is negative',
  ],
  ['a title alone', { json: { title: 'Bad thing' } }, '400 Bad thing'],
  ['message', { json: { message: 'no' } }, '400 no'],
  ['a nested error', { json: { error: { message: 'deep' } } }, '400 deep'],
  ['HTML', { body: '<html><head><title>Bad\n gateway</title></head><body>x</body></html>' }, '400 Bad gateway'],
  ['text with control characters', { body: 'no\u001b[31m\n\tgo' }, '400 no [31m go'],
  ['truncated JSON', { body: '{"detail":"par' }, '400 {"detail":"par'],
  ['nothing', {}, '400 Bad Request'],
  ['JSON that says nothing', { json: { x: 1 } }, '400 Bad Request'],
  ['a body without end', { body: 'x'.repeat(200_000) }, `400 ${'x'.repeat(299)}…`],
  ['the token', { json: { detail: `bad token ${TOKEN}` } }, '400 bad token ***'],
] as const)('an error body that is %s is understood (decision 135)', async (_name, reply, said) => {
  const { error } = await outcome('matches.create', createMatch, [
    { status: 400, ...reply, headers: { 'x-request-id': 'r-1' } },
  ])
  expect(error).toMatchObject({
    message: `POST /api/segments/match was rejected: ${said}`,
    kind: 'failed',
    request: {
      operation: 'matches.create',
      method: 'POST',
      path: '/api/segments/match',
      outcome: 'rejected',
      status: 400,
      requestId: 'r-1',
    },
  })
})

test.each([
  [401, 'unavailable'],
  [403, 'unavailable'],
  [409, 'failed'],
  [500, 'failed'],
])('status %i is an error of kind %s with a next step', async (status, kind) => {
  const { error } = await outcome('jobs.get', { jobId: '7' }, [{ status }])
  expect(error).toMatchObject({ kind, hint: expect.stringMatching(/\w+/) })
})

test('no secret is in an error, whatever the service echoes', async () => {
  const echo = { status: 401, headers: { 'x-request-id': TOKEN, 'www-authenticate': TOKEN }, json: { detail: TOKEN } }
  const { error } = await outcome('jobs.get', { jobId: '7' }, [echo])
  for (let seen: unknown = error; seen instanceof Error; seen = seen.cause) {
    expect(JSON.stringify({ ...seen, message: seen.message, stack: seen.stack })).not.toContain(TOKEN)
  }
})

test.each([
  ['before the status line ends', 'HTTP/1.1 20', 'connection-lost'],
  ['in a header', 'HTTP/1.1 200 OK\r\nContent-', 'connection-lost'],
  ['in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"id":"7","status":"RE', 'bad-answer'],
  ['in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"id":', 'bad-answer'],
  ['with nonsense', 'SSH-2.0-hello\r\n\r\n', 'connection-lost'],
])('an answer that ends %s leaves the outcome of a write open', async (_where, bytes, code) => {
  await using server = await rawServer((socket) => socket.once('data', () => socket.end(bytes)))
  await using client = testClient(server.url)
  const error = await client.api.matches.create(createMatch).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code, request: { outcome: 'unknown' } })
  expect(server.connections).toBe(1)
})

test('a refusal whose body breaks off is still a refusal (decision 135)', async () => {
  await using server = await rawServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 400\r\n\r\n{"detail":"no')),
  )
  await using client = testClient(server.url)
  const error = await client.api.matches.create(createMatch).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'rejected', request: { outcome: 'rejected', status: 400 } })
})

test('a service that falls silent in the middle of a body is not waited for longer than the limit', async () => {
  await using server = await rawServer((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"id":')),
  )
  await using client = testClient(server.url, { limits: { bodyTimeoutMs: 50, retry: { maxAttempts: 1 } } })
  await expect(client.api.jobs.get({ jobId: '7' })).rejects.toMatchObject({ code: 'bad-answer' })
})

test('a service that never answers is not waited for longer than the limit', async () => {
  await using server = await rawServer(() => {})
  await using client = testClient(server.url, { limits: { headersTimeoutMs: 50, retry: { maxAttempts: 1 } } })
  await expect(client.api.jobs.get({ jobId: '7' })).rejects.toMatchObject({ code: 'connection-lost' })
})
