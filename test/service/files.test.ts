import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_UPLOAD_BYTES } from '../../src/contract/files.ts'
import { createFakeEngine } from './support/fake-engine.ts'
import { multipart, newSegment, startTestService, type TestService, VENDOR } from './support/start-test-service.ts'

const EMAIL = 'uploadSignal=EMAIL&resultContent=BGID'

let bench: TestService
beforeAll(async () => {
  bench = await startTestService()
})
afterAll(() => bench.close())

const stored = () => readdir(join(bench.dataDir, 'files'))
const names = async (query: string, as?: number) =>
  (await bench.send(`GET /api/files?${query}`, as === undefined ? {} : { as })).body.files.map(
    (file: { name: string }) => file.name,
  )

describe('names (decisions 106 and 109)', () => {
  const cases: [sent: string, kept: string | undefined][] = [
    ['a.csv', 'a.csv'],
    ['some/where/b.csv', 'b.csv'],
    ['C:\\data\\c.csv', 'c.csv'],
    ['../../etc/d.csv', 'd.csv'],
    ['über 100%.csv', 'über 100%.csv'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['x'.repeat(101), undefined],
    ['..', undefined],
    ['dir/..', undefined],
    ['dir/', undefined],
    [' ', undefined],
    ['', undefined],
    ['a\u0001.csv', undefined],
    ['a\u0085.csv', undefined],
  ]
  test.each(cases)('%j is kept as %j', async (sent, kept) => {
    const answer = await bench.upload(sent, 'ann', 'uploadSignal=IP&resultContent=BGID')
    expect(answer.status).toBe(kept === undefined ? 400 : 200)
    expect(answer.body.name).toBe(kept)
  })
})

describe('forms (decisions 105, 106, 107)', () => {
  const file = { name: 'file', fileName: 'form.csv', content: 'ann' }
  test.each([
    ['no part', [], 400],
    ['a part of another name', [{ ...file, name: 'data' }], 400],
    ['a part without a file name', [{ name: 'file', content: 'ann' }], 400],
    ['two files', [file, { ...file, fileName: 'other.csv' }], 400],
    ['other fields around it', [{ name: 'a', content: 'b' }, file, { ...file, name: 'other' }], 200],
  ])('%s → %i', async (_name, parts, status) => {
    const before = (await stored()).length
    const query = 'uploadSignal=AAID&resultContent=BGID'
    expect((await bench.send(`POST /api/files?${query}`, multipart(parts))).status).toBe(status)
    expect((await stored()).length).toBe(before + (status === 200 ? 1 : 0))
  })

  test.each([
    ['without a boundary', 'x', 'multipart/form-data'],
    ['with another boundary', '--a\r\n\r\n', 'multipart/form-data; boundary=b'],
    [
      'that ends early',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nann',
      'multipart/form-data; boundary=b',
    ],
    [
      'of a hundred and one parts',
      multipart(Array.from({ length: 101 }, () => ({ name: 'a', content: 'b' }))).body,
      multipart([]).headers['content-type'],
    ],
    ['of nothing', '', 'multipart/form-data; boundary=b'],
  ])('a form %s → 400, and nothing stays', async (_name, body, type) => {
    const before = await stored()
    const answer = await bench.send(`POST /api/files?${EMAIL}`, { body, headers: { 'content-type': type ?? '' } })
    expect(answer).toMatchObject({ status: 400, body: { type: 'urn:audience-data-service:problem:invalid-request' } })
    expect(await stored()).toEqual(before)
  })

  test('needs its query before it reads the body', async () => {
    const answer = await bench.send('POST /api/files?uploadSignal=EMAIL', multipart([file]))
    expect(answer.body.errors).toEqual([{ parameter: 'resultContent', message: 'resultContent is required' }])
  })

  // The conformance suite checks that a file of exactly the largest size is taken (decision 107).
  test('takes not one byte more than the largest size, leaves nothing of it, and never has it in memory', async () => {
    const { body, headers } = multipart([{ name: 'file', fileName: 'large.csv', content: '%' }])
    const [head = '', tail = ''] = Buffer.from(body).toString().split('%')
    const sized = (bytes: number) => {
      async function* chunks() {
        yield Buffer.from(head)
        const chunk = Buffer.alloc(1 << 20, 'a')
        for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length))
        yield Buffer.from(tail)
      }
      return fetch(`${bench.service.url}/api/files?uploadSignal=STBID&resultContent=BGID`, {
        method: 'POST',
        body: Readable.toWeb(Readable.from(chunks())) as ReadableStream,
        headers: { ...headers, accept: VENDOR, authorization: `Bearer ${bench.service.token}` },
        duplex: 'half',
      })
    }
    const before = process.memoryUsage().rss
    const tooLarge = await sized(MAX_UPLOAD_BYTES + 1)
    expect(tooLarge.status).toBe(400)
    expect(await tooLarge.json()).toMatchObject({ detail: 'file: must be at most 157,286,400 bytes' })
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_UPLOAD_BYTES)
    expect(await names('uploadSignal=STBID&resultContent=BGID')).toEqual([])
  })
})

test('keeps every byte of a large upload, whatever looks like the end of a part', async () => {
  const line = '\r\n------boundar\r\n-'
  const content = Buffer.concat([randomBytes(1_000_003), Buffer.from(line.repeat(50_000)), randomBytes(2_000_000)])
  const before = new Set(await stored())
  const query = 'uploadSignal=ADDRESS&resultContent=BGID'
  const parts = [
    { name: 'file', fileName: 'bytes.csv', content },
    { name: 'note', content: 'after it' },
  ]
  expect((await bench.send(`POST /api/files?${query}`, multipart(parts))).status).toBe(200)
  const [name = ''] = (await stored()).filter((one) => !before.has(one))
  expect(content.equals(await readFile(join(bench.dataDir, 'files', name)))).toBe(true)
  await bench.send(`DELETE /api/files/bytes.csv?${query}`)
})

describe('an upload that breaks off (decision 114)', () => {
  test('is never visible and leaves nothing', async () => {
    const before = await stored()
    const socket = connect(Number(new URL(bench.origin).port), '127.0.0.1')
    const { headers } = multipart([])
    socket.write(
      `POST /p/1001/api/files?uploadSignal=IDFA&resultContent=BGID HTTP/1.1\r\nHost: a\r\nAccept: ${VENDOR}\r\n` +
        `Authorization: Bearer ${bench.service.token}\r\nContent-Type: ${headers['content-type']}\r\nContent-Length: 100000\r\n\r\n` +
        `------boundary\r\nContent-Disposition: form-data; name="file"; filename="half.csv"\r\n\r\n${'ann\n'.repeat(5000)}`,
    )
    while ((await stored()).length === before.length) await sleep(2)
    socket.destroy()
    while ((await stored()).length > before.length) await sleep(2)
    expect(await names('uploadSignal=IDFA&resultContent=BGID')).toEqual([])
  })
})

describe('buckets and lists (decisions 110, 111, 112)', () => {
  test('one name may be in every bucket; deleting needs the triple', async () => {
    const hashed = 'uploadSignal=EMAIL&resultContent=HASHED'
    await bench.upload('same.csv', 'ann', EMAIL)
    await bench.upload('same.csv', 'ben', hashed)
    await bench.upload('same.csv', 'cid', EMAIL, 2001)
    expect((await bench.send('DELETE /api/files/same.csv?uploadSignal=IDFA&resultContent=BGID')).status).toBe(404)
    expect(await bench.send(`DELETE /api/files/same.csv?${EMAIL}&featureType=SEGMENT_UPLOAD`)).toMatchObject({
      status: 200,
      text: '',
    })
    expect(await names(EMAIL)).not.toContain('same.csv')
    expect(await names(hashed)).toContain('same.csv')
    expect(await names(EMAIL, 2001)).toContain('same.csv')
    expect((await bench.send(`DELETE /api/files/same.csv?${EMAIL}`)).status).toBe(404)
  })

  test('pages in order of creation, with exact multiples (decisions 130 to 132)', async () => {
    const query = 'uploadSignal=RECORD_ID&resultContent=BGID'
    const all = Array.from({ length: 20 }, (_, index) => `${20 - index}.csv`)
    for (const name of all) await bench.upload(name, 'ann', query)
    const page = async (more: string) => (await bench.send(`GET /api/files?${query}${more}`)).body
    expect(await page('')).toEqual({
      files: all.slice(0, 10).map((name) => ({ name })),
      page: 0,
      pageSize: 10,
      hasMore: true,
    })
    expect(await page('&page=1')).toMatchObject({
      files: all.slice(10).map((name) => ({ name })),
      page: 1,
      hasMore: false,
    })
    expect(await page('&page=2')).toEqual({ files: [], page: 2, pageSize: 10, hasMore: false })
    expect(await page('&pageSize=20')).toMatchObject({ pageSize: 20, hasMore: false })
  })
})

describe('replacing a file (decision 110)', () => {
  test('leaves running jobs what they read, and then throws it away', async () => {
    const held = Promise.withResolvers<void>()
    const atWork = Promise.withResolvers<void>()
    const engine = createFakeEngine({
      beforeWork: () => {
        atWork.resolve()
        return held.promise
      },
    })
    const slow = await startTestService({ engine })
    await slow.upload('list.csv', 'ann\nben')
    const job = slow.job('POST /api/segments', newSegment('list'))
    await atWork.promise
    await slow.upload('list.csv', 'ann\nben\ncid')
    await slow.send(`DELETE /api/files/list.csv?${EMAIL}`)
    expect(await readdir(join(slow.dataDir, 'files'))).toHaveLength(1)
    held.resolve()
    const { segmentId } = await job
    const match = await slow.job('POST /api/segments/match', { segmentId, partnerId: 2001, deliveryScopes: ['NONE'] })
    expect(match.status).toBe('SUCCESS')
    expect(await readdir(join(slow.dataDir, 'files'))).toEqual([])
    await slow.close()
  })
})
