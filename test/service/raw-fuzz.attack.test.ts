import { readdir, readFile, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_UPLOAD_BYTES } from '../../src/contract/files.ts'
import { anyCodePoint } from '../support/any-code-point.ts'
import { isLong } from '../support/is-long.ts'
import { type RawExchangeOptions, rawExchange } from './support/raw-exchange.ts'
import { multipart, newSegment, startTestService, type TestService, VENDOR } from './support/start-test-service.ts'

let bench: TestService
beforeAll(async () => {
  bench = await startTestService()
  await bench.upload('a.csv', 'ann 2001 CABLE')
})
afterAll(() => bench.close())

const head = (target: string, headers: Record<string, string | number>) =>
  [
    `${target.replace(' ', ' /p/1001')} HTTP/1.1`,
    'Host: service',
    `Authorization: Bearer ${bench.service.token}`,
    `Accept: ${VENDOR}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')

const post = (body: string | Uint8Array, headers: Record<string, string | number> = {}) => [
  head('POST /api/segments', {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  }),
  body,
]
const form = (body: string | Uint8Array, type = 'multipart/form-data; boundary=b') => [
  head(UPLOAD, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }),
  body,
]
const chunked = (body: string) => [
  head('POST /api/segments', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }),
  body,
]
const UPLOAD = 'POST /api/files?uploadSignal=IP&resultContent=BGID'
const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\n'

/** Closes the connection, or answers with a status that is not the service's own fault. */
const survives = async (pieces: readonly (string | Uint8Array)[], options: RawExchangeOptions = {}) => {
  const answer = await rawExchange(bench.origin, pieces, options)
  expect(answer, String(pieces[0]).slice(0, 200)).toMatch(/^($|HTTP\/1\.1 [1-4]\d\d )/)
  return answer
}

describe('bad requests', () => {
  const cases: [name: string, pieces: () => (string | Uint8Array)[], status: number | undefined][] = [
    ['nesting of 100,000 levels', () => post(`{"segmentName":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), 400],
    ['deep nesting beside a long number', () => post(`{"cpm":12345678901234567890,"x":${'['.repeat(200_000)}`), 400],
    ['a number of 900,000 digits', () => post(`{"cpm":${'9'.repeat(900_000)}}`), 400],
    ['an infinite number', () => post('{"cpm":1e999}'), 400],
    ['duplicate keys', () => post('{"segmentName":"a","segmentName":7}'), 400],
    ['__proto__ and constructor', () => post('{"__proto__":{"segmentName":"x"},"constructor":{"prototype":1}}'), 400],
    ['invalid UTF-8', () => post(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d])), 400],
    ['a lone surrogate', () => post(JSON.stringify({ ...newSegment('a'), segmentFileName: '\ud800' })), 400],
    ['NUL in text', () => post(JSON.stringify({ ...newSegment('a'), segmentFileName: '\u0000' })), 400],
    ['a body that is shorter than announced', () => post('{}', { 'Content-Length': 100 }), undefined],
    ['a negative length', () => post('{}', { 'Content-Length': -1 }), 400],
    ['length and chunks', () => post('{}', { 'Transfer-Encoding': 'chunked' }), 400],
    ['a chunk that breaks off', () => chunked('5\r\n{"a"'), undefined],
    ['a chunk size that is none', () => chunked('zz\r\n{}\r\n0\r\n\r\n'), 400],
    ['a chunk size beyond all measure', () => chunked('fffffffffffffffff\r\n{}\r\n'), 400],
    ['a header of 100 kB', () => [head('GET /api/jobs/1', { 'X-Long': 'x'.repeat(100_000) })], undefined],
    ['5,000 headers', () => [head('GET /api/jobs/1', manyHeaders(5000))], undefined],
    ['a header with NUL', () => [head('GET /api/jobs/1', { 'X-Nul': 'a\u0000b' })], 400],
    ['a target of 15 kB', () => [head(`GET /api/segments?id=${'x'.repeat(15_000)}`, {})], 200],
    ['10,000 parameters', () => [head(`GET /api/segments?${'a&'.repeat(5000)}`, {})], 200],
    ['a form without parts', () => form('--b--\r\n'), 400],
    ['a form of nothing', () => form(''), 400],
    ['a form that breaks off in a part', () => form(`${PART}ann`), 400],
    ['a form that breaks off in a header', () => form('--b\r\nContent-Disposition: form-da'), 400],
    ['another boundary', () => form(`${PART}ann\r\n--c--\r\n`), 400],
    ['a boundary of nothing', () => form(`${PART}ann\r\n--b--\r\n`, 'multipart/form-data; boundary='), 400],
    ['no boundary', () => form(`${PART}ann\r\n--b--\r\n`, 'multipart/form-data'), 400],
    ['a boundary of 500 characters', () => form('x', `multipart/form-data; boundary=${'b'.repeat(500)}`), 400],
    ['1,000 parts', () => form(`${PART}\r\n`.repeat(1000)), 400],
    [
      'a part called __proto__',
      () => form('--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nx\r\n--b--\r\n'),
      400,
    ],
    ['a part with a header of 100 kB', () => form(`--b\r\nX: ${'x'.repeat(100_000)}\r\n\r\nann\r\n--b--\r\n`), 400],
    [
      'a field of JSON that is none',
      () =>
        form(`--b\r\nContent-Disposition: form-data; name="x"\r\nContent-Type: application/json\r\n\r\n{\r\n--b--\r\n`),
      400,
    ],
  ]
  test.each(cases)('%s', async (_name, pieces, status) => {
    const answer = await survives(pieces(), status === undefined ? { hangUpAfterMs: 0 } : {})
    if (status !== undefined) expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  test('of any bytes, in any pieces', async () => {
    const valid = fc.constantFrom(
      () => post(JSON.stringify(newSegment('fuzz'))),
      () => [head('GET /api/segments?page=0', {})],
      () => form(`${PART}ann\r\n--b--\r\n`),
      () => chunked('2\r\n{}\r\n0\r\n\r\n'),
    )
    const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), bytes: fc.uint8Array({ maxLength: 4 }) })
    await fc.assert(
      fc.asyncProperty(valid, fc.array(change, { minLength: 1, maxLength: 4 }), async (make, changes) => {
        let bytes = Buffer.concat(make().map((piece) => Buffer.from(piece)))
        for (const { at, bytes: inserted } of changes) {
          const index = Math.floor(at * bytes.length)
          bytes = Buffer.concat([bytes.subarray(0, index), inserted, bytes.subarray(index + inserted.length - 1)])
        }
        await survives([bytes], { hangUpAfterMs: 20 })
      }),
      { numRuns: isLong ? 300 : 40 },
    )
  })

  test('on the control API', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('clock/advance', 'faults', 'jobs/1/hold', 'snapshots/x/restore', 'jobs/1/fail'),
        fc.oneof(fc.json(), fc.string({ unit: anyCodePoint })),
        async (path, body) => {
          const answer = await fetch(`${bench.service.control.url}/${path}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${bench.service.control.token}`, 'content-type': 'application/json' },
            body,
          })
          expect(answer.status, body).toBeLessThan(500)
          await answer.body?.cancel()
        },
      ),
      { numRuns: isLong ? 150 : 30 },
    )
  })

  test('leave the service as it is after a restart, without a trace of the uploads that failed', async () => {
    await expect.poll(async () => (await bench.control('GET /jobs?active=true')).body.jobs).toEqual([])
    await bench.control('DELETE /faults')
    const before = await stateOf(bench)
    await bench.restart()
    expect(await stateOf(bench)).toEqual(before)
    expect(before.contents).toHaveLength(before.tables.files?.length ?? 0)
  })
})

describe('uploads', () => {
  test('that never end come to their end at twice the largest size, with the connection, and leave nothing', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x')
    let sent = 0
    const socket = connect(Number(new URL(bench.origin).port), '127.0.0.1')
    socket.write(head(UPLOAD, { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': 2 ** 40 }))
    socket.write(PART)
    const more = () => {
      do sent += piece.length
      while (socket.write(piece))
    }
    socket.on('drain', more)
    more()
    socket.on('error', () => socket.destroy())
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    await new Promise((resolve) => socket.once('close', resolve))
    // The answer may be lost if the connection breaks while much is still being sent.
    expect(answer).toMatch(/^($|HTTP\/1\.1 400 )/)
    expect(sent).toBeLessThan(2 * MAX_UPLOAD_BYTES + 64 * 1024 * 1024)
    await expect
      .poll(() => readdir(join(bench.dataDir, 'files')))
      .toHaveLength((await stateOf(bench)).tables.files?.length ?? 0)
  })

  test('strict: have no part but the file (decision 13)', async () => {
    const strict = await startTestService({ strict: true })
    const parts = [
      { name: 'colour', content: 'red' },
      { name: 'file', fileName: 'a.csv', content: 'ann' },
    ]
    expect((await bench.send(UPLOAD, multipart(parts))).status).toBe(200)
    const refused = await strict.send(UPLOAD, multipart(parts))
    expect(refused.body.errors).toEqual([{ parameter: 'colour', message: 'is not known here' }])
    expect(await readdir(join(strict.dataDir, 'files'))).toEqual([])
    expect((await strict.send(UPLOAD, multipart(parts.slice(1)))).status).toBe(200)
    await strict.close()
  })
})

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'x']))
}

/** All rows of the store, and every stored file with its content. */
async function stateOf({ dataDir, control }: TestService) {
  // A snapshot is the store as a file that may be opened.
  await control('POST /snapshots/state')
  const folder = join(dataDir, 'snapshots', 'state')
  const db = new DatabaseSync(join(folder, 'service.db'), { readOnly: true })
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  const tables = Object.fromEntries(names.map(({ name }) => [String(name), db.prepare(`SELECT * FROM ${name}`).all()]))
  db.close()
  await control('DELETE /snapshots/state')
  const filesIn = async (kind: string) => {
    const found = (await readdir(join(dataDir, kind))).sort()
    return Promise.all(
      found.map(async (name) => [name, (await stat(join(dataDir, kind, name))).size, await textOf(kind, name)]),
    )
  }
  const textOf = async (kind: string, name: string) =>
    (await readFile(join(dataDir, kind, name), 'latin1')).slice(0, 1000)
  return { tables, contents: await filesIn('files'), sets: await filesIn('sets') }
}
