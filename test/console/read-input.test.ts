import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { ApiOperation } from '../../src/console/api/api-operation.ts'
import { type ApiOperationId, apiOperations } from '../../src/console/api/operations.ts'
import { readInput } from '../../src/console/server/read-input.ts'

/** What the handler gets, or the failure. */
async function read(id: ApiOperationId, given: { path?: Record<string, string>; query?: string; body?: string } = {}) {
  const { path: fields = {}, query = '', body = '' } = given
  // In chunks, as they arrive.
  const chunks = Array.from({ length: Math.ceil(body.length / 65_536) }, (_, at) =>
    Buffer.from(body.slice(at * 65_536, (at + 1) * 65_536)),
  )
  const operation: ApiOperation = apiOperations[id]
  const asked = { id, operation, fields, query: new URLSearchParams(query) }
  try {
    return await readInput(Readable.from(chunks) as IncomingMessage, asked)
  } catch (error) {
    if (!(error instanceof Error && 'status' in error && 'body' in error)) throw error
    const { code, fields: wrong } = error.body as { code: string; fields?: object }
    return `${error.status} ${code} ${Object.keys(wrong ?? {}).join()}`.trim()
  }
}

const sized = (bytes: number) => {
  const empty = JSON.stringify({ pipeline: 'p', reason: 'r', inputs: { a: '' } })
  return JSON.stringify({ pipeline: 'p', reason: 'r', inputs: { a: 'x'.repeat(bytes - empty.length) } })
}

const RUN = { runId: 'r' }

test.each([
  ['a body', 'runs.start', { body: '{"pipeline":"p"}' }, { pipeline: 'p' }],
  ['no body where a field is needed', 'runs.start', { body: ' ' }, '400 bad-request pipeline'],
  ['a field too many', 'runs.start', { body: '{"pipeline":"p","more":1}' }, '400 bad-request more'],
  ['text that is no JSON', 'runs.start', { body: '{"pipeline":' }, '400 bad-json'],
  ['text that is too deep', 'runs.start', { body: `{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}` }, '400 bad-json'],
  ['a list', 'runs.start', { body: '[]' }, '400 bad-json'],
  ['nothing at all', 'runs.start', { body: 'null' }, '400 bad-json'],
  ['a text', 'runs.start', { body: '"p"' }, '400 bad-json'],
  ['a query of a write', 'runs.start', { query: 'pipeline=p', body: '{"pipeline":"p"}' }, '400 bad-request query'],
  ['a body of a million bytes', 'runs.start', { body: sized(1_000_000) }, expect.objectContaining({ pipeline: 'p' })],
  ['one byte more', 'runs.start', { body: sized(1_000_001) }, '413 body-too-large'],
  ['the path', 'runs.retry', { path: { runId: 'r' }, body: '{"reason":"x"}' }, { runId: 'r', reason: 'x' }],
  ['the path and the body', 'runs.retry', { path: { runId: 'r' }, body: '{"runId":"s"}' }, '400 bad-request runId'],
  ['a query', 'runs.list', { query: 'pipeline=p&limit=20' }, { pipeline: 'p', limit: 20 }],
  ['a number that is none', 'runs.list', { query: 'limit=1e1' }, '400 bad-request limit'],
  ['a number twice', 'runs.list', { query: 'limit=1&limit=2' }, '400 bad-request limit'],
  ['a list of one', 'runs.list', { query: 'status=failed' }, { status: ['failed'] }],
  ['a list of two', 'runs.list', { query: 'status=failed&status=running' }, { status: ['failed', 'running'] }],
  ['nothing, which means true', 'runs.events', { path: RUN, query: 'follow' }, { ...RUN, follow: true }],
  ['what is true', 'runs.events', { path: RUN, query: 'follow=true' }, { ...RUN, follow: true }],
  ['what is false', 'runs.events', { path: RUN, query: 'follow=false' }, { ...RUN, follow: false }],
  ['what is neither', 'runs.events', { path: RUN, query: 'follow=no' }, '400 bad-request follow'],
  ['a text that looks like one of them', 'runs.list', { query: 'pipeline=true' }, { pipeline: 'true' }],
  [
    'an upload, by its query',
    'uploads.add',
    { path: { pipeline: 'p' }, query: 'name=a.csv', body: 'x' },
    { pipeline: 'p', name: 'a.csv' },
  ],
] as const)('%s', async (_what, id, given, expected) => {
  expect(await read(id, given)).toEqual(expected)
})
