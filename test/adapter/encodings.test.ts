import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const JOB = '{"id":"7","status":"READY"}'
const MAX_BYTES = 10_000

/** The result of reading a job from an answer in this encoding, and the encodings that the client accepts. */
async function read(encoding: string, body: Buffer, status = 200) {
  await using server = await scriptedServer([{ status, headers: { 'content-encoding': encoding }, body }])
  await using client = testClient(server.url, { limits: { maxResponseBytes: MAX_BYTES, retry: { maxAttempts: 1 } } })
  const settled = await client.api.jobs.get({ jobId: '7' }).then(
    (job) => ({ job, error: undefined }),
    (error: Error) => ({ job: undefined, error }),
  )
  return { ...settled, asked: server.seen[0]?.headers['accept-encoding'] }
}

test.each([
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdCompressSync],
  ['identity', (text: string) => Buffer.from(text)],
  ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
])('an answer in %s is decoded, although identity was asked for (decision 142)', async (encoding, encode) => {
  expect(await read(encoding, encode(JOB))).toEqual({
    job: { id: '7', status: 'READY' },
    error: undefined,
    asked: 'identity',
  })
})

const large = JSON.stringify({ id: '7', status: 'READY', x: 'x'.repeat(5 * MAX_BYTES) })

test.each([
  ['more than the limit once decoded, gzip', 'gzip', gzipSync(large)],
  ['more than the limit once decoded, br', 'br', brotliCompressSync(large)],
  ['more than the limit once decoded, deflate', 'deflate', deflateSync(large)],
  ['more than the limit once decoded, zstd', 'zstd', zstdCompressSync(large)],
  ['zstd that breaks off', 'zstd', zstdCompressSync(JOB).subarray(0, 20)],
  ['gzip that breaks off', 'gzip', gzipSync(JOB).subarray(0, 20)],
  ['no gzip at all', 'gzip', Buffer.from(JOB)],
  ['gzip in gzip in gzip in gzip', 'gzip, gzip, gzip, gzip', repeated(gzipSync, JOB, 4)],
  ['an encoding that nobody knows', 'zstd-9', Buffer.from(JOB)],
])('%s is a bad answer (decision 142)', async (_name, encoding, body) => {
  const { error } = await read(encoding, body)
  expect(error).toMatchObject({ code: 'bad-answer' })
})

function repeated(encode: (content: Buffer) => Buffer, text: string, times: number): Buffer {
  let body = Buffer.from(text)
  for (let time = 0; time < times; time += 1) body = Buffer.from(encode(body))
  return body
}

test('what a service says to a refusal is decoded too (decision 142)', async () => {
  const { error } = await read('gzip', gzipSync('{"detail":"no such job here"}'), 404)
  expect(error).toMatchObject({ code: 'not-found', request: { detail: 'no such job here' } })
})

test('an answer without a body is one, whatever its encoding is said to be', async () => {
  await using server = await scriptedServer([{ headers: { 'content-encoding': 'gzip' }, body: Buffer.alloc(0) }])
  await using client = testClient(server.url)
  expect(await client.api.segments.delete({ id: '7' })).toBeUndefined()
})
