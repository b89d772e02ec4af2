import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BuildSegmentRequest } from '../../../src/service/matching/build-segment.ts'
import { type EngineBench, engineBench, sha256 } from './engine-bench.ts'

let bench: EngineBench
let email: readonly { key: string; bgid: string }[]

beforeAll(async () => {
  bench = await engineBench()
  email = await bench.graph(1, 'EMAIL')
})
afterAll(() => bench[Symbol.asyncDispose]())

async function build(text: string | Buffer, request: Partial<BuildSegmentRequest> = {}) {
  return bench.engine.buildSegment({
    csvFile: await bench.csv(text),
    signal: 'EMAIL',
    resultContent: 'BGID',
    dated: false,
    at: new Date('2026-01-05T10:00:00Z'),
    providerId: 1,
    target: bench.path('segment'),
    ...request,
  })
}

describe('what a file may look like (decision 113)', () => {
  const figures = (rows: number, badRows: number, keys: number) => ({ rows, badRows, keys })

  test.each<[string, string | Buffer, { rows: number; badRows: number; keys: number }]>([
    ['a header', 'email\na@x.com\nb@x.com\n', figures(2, 0, 2)],
    ['no header', 'a@x.com\nb@x.com\n', figures(2, 0, 2)],
    ['no line end at the end', 'a@x.com\nb@x.com', figures(2, 0, 2)],
    ['a byte order mark before a header', '\ufeffemail\na@x.com\n', figures(1, 0, 1)],
    ['a byte order mark before a key', '\ufeffa@x.com\nb@x.com\n', figures(2, 0, 2)],
    ['CRLF', 'email,name\r\na@x.com,A\r\nb@x.com,B\r\n', figures(2, 0, 2)],
    ['CR', 'email\ra@x.com\rb@x.com\r', figures(2, 0, 2)],
    ['all kinds of line ends', 'a@x.com\r\nb@x.com\nc@x.com\r\nd@x.com', figures(4, 0, 4)],
    [
      'quotes, with commas and quotes in them',
      '"email","a ""b"", c"\n"a@x.com","1,2"\nb@x.com,"""\n',
      figures(2, 0, 2),
    ],
    ['blank lines, which are no rows', '\n \nemail\n\na@x.com\n\t\n\n', figures(1, 0, 1)],
    ['the same key in other words', 'a@x.com\n A@X.com \n"a@x.com"\n', figures(3, 0, 1)],
    ['a quote that is never closed', 'email\n"a@x.com\nb@x.com\n"c@x.com\nd@x.com\n', figures(4, 2, 2)],
    ['a quote in the middle', 'email\na"@x.com\nb@x.com\n', figures(2, 1, 1)],
    ['lines without a key', 'email\n,1\nnothing\na@x.com\n', figures(3, 2, 1)],
    ['a line that is not UTF-8', Buffer.from('email\na\xff@x.com\nb@x.com\n', 'latin1'), figures(2, 1, 1)],
    ['a line beyond all measure', `email\n${'x'.repeat(3_000_000)}\na@x.com\n`, figures(2, 1, 1)],
    ['a NUL', 'email\na\0@x.com\nb@x.com\n', figures(2, 1, 1)],
  ])('%s', async (_what, text, expected) => {
    expect(await build(text)).toMatchObject(expected)
  })

  test.each<[string, string | Buffer, string]>([
    ['nothing in it', '', 'empty'],
    ['blank lines alone', '\n \n\r\n', 'empty'],
    ['a header alone', 'email\n', 'empty'],
    ['no usable key', 'email\nnothing\nnowhere\n', 'no-usable-key'],
    ['no line in UTF-8', Buffer.from('\xe4\xf6@x.com\n\xfc@x.com\n', 'latin1'), 'not-utf8'],
    ['UTF-16', Buffer.from('\ufeffemail\na@x.com\n', 'utf16le'), 'not-utf8'],
    ['a compressed file', gzipSync('email\na@x.com\n'), 'not-utf8'],
  ])('a file with %s makes no segment', async (_what, text, reason) => {
    await expect(build(text)).rejects.toMatchObject({ name: 'SegmentFileError', reason })
  })

  test.each([
    ['BGID', 'bgid\nBG1\n', 1],
    ['BGID', 'BG1\nBG2\n', 2],
    ['RECORD_ID', 'Record ID,date\nR1\n', 1],
    ['PARTNER_RECORD_ID', 'id\nP1\n', 1],
    ['ADDRESS', 'Address\n1 Fern Lane\n', 1],
    ['ADDRESS', '1 Fern Lane\n2 Fern Lane\n', 2],
    ['ZIPCODE', 'ZIP code\n10001\n', 1],
  ] as const)('the header of a %s file is found by its name: %j', async (signal, text, rows) => {
    expect(await build(text, { signal })).toMatchObject({ rows, keys: rows })
  })
})

describe('what a segment holds', () => {
  test('the people that the provider knows by clear and by hashed keys, each once', async () => {
    const [a, b] = [email[0]!, email.find((known) => known.bgid !== email[0]!.bgid)!]
    const text = [a.key.toUpperCase(), sha256(a.key).toUpperCase(), sha256(b.key), 'nobody@example.com'].join('\n')
    expect(await build(text)).toEqual({ rows: 4, badRows: 0, keys: 4, members: 2 })
    expect(await bench.linesOf(bench.path('segment'))).toEqual([a.bgid, b.bgid].sort())
  })

  test('the hashes of normalised keys', async () => {
    await build('A@X.com\nb@x.com', { resultContent: 'HASHED', providerId: undefined })
    expect(await bench.linesOf(bench.path('segment'))).toEqual([sha256('a@x.com'), sha256('b@x.com')].sort())
  })

  test('everybody of a ZIP code', async () => {
    const people = await bench.graph(1, 'ZIPCODE')
    const zip = people[0]!.key
    const members = people.filter(({ key }) => key === zip).length
    expect(await build(`${zip}-0001\n`, { signal: 'ZIPCODE' })).toMatchObject({ keys: 1, members })
    expect(members).toBeGreaterThan(1)
  })

  test('nobody that the provider does not know', async () => {
    const unknown = new Set((await bench.graph(2, 'EMAIL')).map(({ key }) => key))
    const stranger = email.find(({ key }) => !unknown.has(key))!
    expect(await build(stranger.key, { providerId: 2 })).toMatchObject({ keys: 1, members: 0 })
  })

  test('whoever had an IP address at the time', async () => {
    const graph = await bench.graph(1, 'IP')
    const { key } = graph[0]!
    const at = (day: string) =>
      graph
        .filter((known) => known.key === key && known.from <= day && day < known.to)
        .map(({ bgid }) => bgid)
        .sort()
    const ip = async (text: string, request: Partial<BuildSegmentRequest>) => {
      await build(text, { signal: 'IP', ...request })
      return bench.linesOf(bench.path('segment'))
    }
    expect(await ip(key, { at: new Date('2024-05-05T00:00:00Z') })).toEqual(at('2024-05-05'))
    expect(await ip(key, { at: new Date('2027-01-01T00:00:00Z') })).toEqual(at('2027-01-01'))
    expect(await ip(`ip,seen\n${key},2024-12-31T23:30:00-01:00\n`, { dated: true })).toEqual(at('2025-01-01'))
    expect(await ip(`ip,seen\n"${key}","2024-12-31 23:30:00"\n`, { dated: true })).toEqual(at('2024-12-31'))
    expect(at('2024-12-31')).not.toEqual(at('2025-01-01'))
    expect(await ip(key, { at: new Date('2020-01-01T00:00:00Z') })).toEqual([])
  })

  test('a line without a time is a bad one where the file has times', async () => {
    const figures = await build('10.0.0.1,2025-01-01\n10.0.0.2\n10.0.0.3,soon\n10.0.0.1,2026-01-01\n', {
      signal: 'IP',
      dated: true,
    })
    expect(figures).toMatchObject({ rows: 4, badRows: 2, keys: 1 })
  })

  test('the same again when it is repeated', async () => {
    const text = email
      .slice(0, 50)
      .map(({ key }) => key)
      .join('\n')
    const first = [await build(text), await bench.linesOf(bench.path('segment'))]
    expect([await build(text), await bench.linesOf(bench.path('segment'))]).toEqual(first)
  })
})
