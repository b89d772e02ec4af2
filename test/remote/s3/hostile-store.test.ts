import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { RemoteSource } from '../../../src/core/remote-source.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { S3Source } from '../../../src/remote/s3/s3-source.ts'
import { configOf, envOf } from '../../support/s3-server/config.ts'
import { type S3Server, startS3Server } from '../../support/s3-server/s3-server.ts'

const signal = AbortSignal.timeout(600_000)
let server: S3Server
let source: RemoteSource

beforeAll(async () => {
  server = await startS3Server()
  source = new S3Source(configOf(server), { clock: systemClock, env: envOf(server) })
})
afterAll(async () => {
  await source.close()
  await server.stop()
})
afterEach(() => {
  server.disturb(undefined)
  for (const key of server.bucket.keys) server.bucket.remove(key)
})

const list = (folder = 'in') => source.list(folder, () => true, { signal })
/** Answers every request with this. */
const always = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  server.disturb((_, response) => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body)
    return true
  })
const page = (inside: string) => `<?xml version="1.0"?><ListBucketResult>${inside}</ListBucketResult>`
const entry = (key: string, more = '') =>
  `<Contents><Key>${key}</Key><Size>3</Size><LastModified>2026-11-28T02:00:00.000Z</LastModified><ETag>"a"</ETag>${more}</Contents>`
const unreachable = { code: 'source-unreachable' }

test('keys that lead elsewhere, do not show, or are too long are counted and never listed', async () => {
  const keys = [
    ...[
      'a\u001b[2J.csv',
      'b\nc.csv',
      'c\\d.csv',
      '\u202efdp.csv',
      'd\u0000.csv',
      `${'x'.repeat(256)}.csv`,
      `${'y'.repeat(1021)}`,
    ],
    ...['../up.csv', './here.csv', '/root.csv', 'folder/e.csv', ''],
    'good + 100% <ü>.csv',
  ]
  for (const key of keys) server.bucket.put(`in/${key}`, Buffer.alloc(0))
  const { files, unusable } = await list()
  expect(files.map(({ path }) => path)).toEqual(['in/good + 100% <ü>.csv'])
  // `..` and `.` are hidden, and the folder itself is not an entry.
  expect(unusable).toBe(7 + 2)
})

test('an entry outside the folder, or without a size, a time or an ETag, is no file', async () => {
  always(
    200,
    page(`${entry('other/a.csv')}${entry('in/%zz.csv')}<Contents><Key>in/b.csv</Key></Contents>${entry('in/c.csv')}`),
  )
  expect(await list()).toMatchObject({ files: [{ path: 'in/%zz.csv' }, { path: 'in/c.csv' }], unusable: 2 })
  always(200, page(`<EncodingType>url</EncodingType>${entry('in/%zz.csv')}${entry('in/c.csv')}`))
  expect(await list()).toMatchObject({ files: [{ path: 'in/c.csv' }], unusable: 1 })
})

test('pages without end, with the same token or with a new one, do end', async () => {
  let asked = 0
  const on = (token: () => string) =>
    server.disturb((_, response) => {
      asked += 1
      response.end(page(`<IsTruncated>true</IsTruncated><NextContinuationToken>${token()}</NextContinuationToken>`))
      return true
    })
  on(() => 'again')
  await expect(list()).rejects.toMatchObject(unreachable)
  expect(asked).toBe(2)
  on(() => `token-${asked}`)
  await expect(list()).rejects.toMatchObject({ code: 'source-too-many' })
  expect(asked).toBeLessThan(110)
})

test.each([
  ['no XML', 'hello'],
  ['a page to log in', '<html><body>Log in</body></html>'],
  ['XML that does not end', '<ListBucketResult><Contents><Key>in/a'],
  [
    'a bomb of entities',
    `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'abcdefghij'[i + 1]} "${`&${'abcdefghij'[i]};`.repeat(10)}">`).join('')}]>${page(entry('in/&j;'))}`,
  ],
])('%s instead of a list gives no file', async (_, body) => {
  always(200, body)
  const listed = await list().catch((error: unknown) => error)
  expect(listed).toMatchObject(listed instanceof Error ? unreachable : { files: [] })
})

test('an answer that is too long ends, and its connection too', async () => {
  let sent = 0
  server.disturb((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536))) sent += 65_536
    }
    response.on('drain', more)
    more()
    return true
  })
  await expect(list()).rejects.toMatchObject(unreachable)
  await expect(source.look('in/a.csv', { signal: AbortSignal.timeout(1) })).rejects.toBeDefined()
  expect(sent).toBeLessThan(200 * 2 ** 20)
})

test('a store that is busy is asked again a few times, then it is unreachable', async () => {
  server.bucket.put('in/a.csv', Buffer.from('abc'))
  let left = 1
  server.disturb((_, response) => busy(response, left-- > 0))
  expect((await list()).files).toHaveLength(1)
  let asked = 0
  server.disturb((_, response) => busy(response, ++asked > 0))
  await expect(list()).rejects.toMatchObject({ ...unreachable, message: expect.stringContaining('says "SlowDown"') })
  expect(asked).toBe(3)
})

function busy(response: ServerResponse, isBusy: boolean): boolean {
  if (isBusy) response.writeHead(503).end('<Error><Code>SlowDown</Code><Message>\u001b[2J an-id</Message></Error>')
  return isBusy
}

test('what a store sends back of a request is in no message', async () => {
  server.disturb((request, response) => {
    response
      .writeHead(403)
      .end(
        `<Error><Code>${request.headers.authorization}</Code><Message>${request.headers.authorization}</Message></Error>`,
      )
    return true
  })
  const error = await list().catch((each: unknown) => each)
  expect(error).toMatchObject({ code: 'source-access-refused', message: expect.stringMatching(/ says 403$/) })
  expect(JSON.stringify(error)).not.toContain('AWS4')
})

test.each([
  ['another version than was asked for', '"other"', {}],
  ['a part, although all was asked for', undefined, { 'content-range': 'bytes 0-2/3' }],
])('%s is not read', async (_, etag, headers) => {
  server.bucket.put('in/a.csv', Buffer.from('abc'))
  const file = (await source.look('in/a.csv', { signal }))!
  server.disturb((_request, response) => {
    response.writeHead(206, { etag: etag ?? file.version, ...headers }).end('abc')
    return true
  })
  await expect(pieces(file)).rejects.toMatchObject({ code: etag ? 'source-file-changed' : 'source-unreachable' })
})

test('a body that is cut is unreachable, one that ends early has changed, and of one that goes on only the size is read', async () => {
  server.bucket.put('in/a.csv', Buffer.from('abcdef'))
  const file = (await source.look('in/a.csv', { signal }))!
  const body = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
    server.disturb((request, response) => {
      answer(request, response)
      return true
    })
  body((_, response) => {
    response.writeHead(200, { etag: file.version, 'content-length': 6 }).write('abc', () => response.destroy())
  })
  await expect(pieces(file)).rejects.toMatchObject(unreachable)
  body((_, response) => response.writeHead(200, { etag: file.version }).end('abc'))
  await expect(pieces(file)).rejects.toMatchObject({ code: 'source-file-changed' })
  body((_, response) => response.writeHead(200, { etag: file.version }).end('abcdefghi'))
  expect(await pieces(file)).toBe('abcdef')
})

test('a store that says nothing, before its answer or in the middle of a file, is unreachable when its time is over', async () => {
  const rings = new Set<() => void>()
  const timer = (_: number, ring: () => void) => {
    rings.add(ring)
    return { refresh: () => undefined, cancel: () => void rings.delete(ring) }
  }
  const ringAll = () => {
    for (const ring of rings) ring()
  }
  const patient = new S3Source(configOf(server), { clock: { ...systemClock, timer }, env: envOf(server) })
  server.bucket.put('in/a.csv', Buffer.from('abcdef'))
  const file = (await patient.look('in/a.csv', { signal }))!
  const late = { ...unreachable, message: expect.stringContaining('has not answered in time') }
  server.disturb(() => setImmediate(ringAll) !== undefined)
  await expect(patient.look('in/a.csv', { signal })).rejects.toMatchObject(late)
  server.disturb((_, response) => response.writeHead(200, { etag: file.version, 'content-length': 6 }).write('abc'))
  const reading = async () => {
    for await (const piece of patient.read(file, { signal })) if (piece.length > 0) setImmediate(ringAll)
  }
  await expect(reading()).rejects.toMatchObject(late)
  await patient.close()
})

async function pieces(file: NonNullable<Awaited<ReturnType<RemoteSource['look']>>>): Promise<string> {
  let text = ''
  for await (const piece of source.read(file, { signal })) text += Buffer.from(piece).toString()
  return text
}
