import { describe, expect, test } from 'vitest'
import { describeErrorBody } from '../../src/adapter/error-body.ts'
import { listPage } from '../../src/adapter/list-page.ts'
import { responseDecoder, showsOther } from '../../src/adapter/response-decoder.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { operations } from '../../src/contract/operations.ts'
import {
  JsonLimitError,
  type JsonObject,
  MAX_JSON_DIGITS,
  MAX_JSON_NAMES,
  MAX_JSON_VALUES,
  parseForeignJson,
} from '../../src/core/json.ts'
import { scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

/*
 * A service, or something in its place, answers with a few megabytes that take minutes and gigabytes to read and block
 * the process. Without protection, each of these takes longer than the limit of a test.
 */

const BIG = '1234567890123456789'
const filled = (item: string, times: number) => `[${`${item},`.repeat(times - 1)}${item}]`

describe('an answer of many small values is refused before anything is made of it', () => {
  test.each<[string, string]>([
    ['numbers', filled('1', MAX_JSON_VALUES)],
    ['empty objects', filled('{}', MAX_JSON_VALUES)],
    ['empty lists', filled('[ ]', MAX_JSON_VALUES)],
    ['lists in lists', filled('[1]', MAX_JSON_VALUES / 2)],
    ['texts', filled('""', MAX_JSON_VALUES)],
    ['members', `{${'"":1,'.repeat(MAX_JSON_VALUES)}"":1}`],
    ['numbers behind a large one', `[${BIG},${filled('1', MAX_JSON_VALUES).slice(1)}`],
  ])('%s', (_name, text) => {
    expect(() => parseForeignJson(text)).toThrow(new JsonLimitError('it has more than 5000000 values'))
  })

  test.each<[string, string]>([
    ['digits', '1'.repeat(MAX_JSON_DIGITS + 1)],
    ['a million digits', '1'.repeat(1e6)],
    ['digits behind a point', `0.${'1'.repeat(MAX_JSON_DIGITS)}`],
    ['digits behind a sign and an e', `-1e${'0'.repeat(MAX_JSON_DIGITS)}`],
  ])('a number of more %s', (_name, number) => {
    expect(() => parseForeignJson(`{"id":[${number}]}`)).toThrow(
      new JsonLimitError('a number in it has more than 1000 digits'),
    )
  })

  const members = (from: number, times: number) => Array.from({ length: times }, (_, at) => `"n${from + at}":1`).join()

  test.each<[string, string]>([
    ['in one object', `{${members(0, 15 * MAX_JSON_NAMES)}}`],
    ['in many objects', `[${Array.from({ length: 1500 }, (_, at) => `{${members(at * 1000, 1000)}}`).join()}]`],
    ['behind a large number', `{"id":${BIG},${members(0, 2 * MAX_JSON_NAMES)}}`],
  ])('different names %s', (_name, text) => {
    expect(() => parseForeignJson(text)).toThrow(new JsonLimitError('it has more than 100000 different names'))
  })

  test('the same names are read as often as they come', () => {
    const row = '{"id":1,"a:b":2,"c":":"}'
    expect(parseForeignJson(filled(row, MAX_JSON_NAMES))).toHaveLength(MAX_JSON_NAMES)
    expect(Object.keys(parseForeignJson(`{${members(0, MAX_JSON_NAMES)}}`) as object)).toHaveLength(MAX_JSON_NAMES)
  })

  test('what is within the limits is read, with its commas and digits in texts', () => {
    const inText = `${',[{'.repeat(MAX_JSON_VALUES / 2)}${'1'.repeat(MAX_JSON_DIGITS * 2)}`
    expect(parseForeignJson(JSON.stringify([inText]))).toEqual([inText])
    const digits = '9'.repeat(MAX_JSON_DIGITS)
    expect(parseForeignJson(`[${digits},{},[]]`)).toEqual([BigInt(digits), {}, []])
  })

  test('the error of a write says which limit, and the write is open', async () => {
    await using server = await scriptedServer([{ body: `{"id":${'1'.repeat(5000)},"status":"PENDING"}` }])
    await using client = testClient(server.url, { limits: { retry: { maxAttempts: 1 } } })
    await expect(
      client.api.matches.create({ segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }),
    ).rejects.toMatchObject({
      code: 'bad-answer',
      message: expect.stringContaining('a number in it has more than 1000 digits'),
      request: { outcome: 'unknown' },
    })
  })
})

describe('an id is as long as an id may be', () => {
  const long = 'j'.repeat(256)
  test.each<[string, object]>([
    ['of the job', { id: long, status: 'PENDING' }],
    ['of the job, as a number', { id: 'NUMBER', status: 'PENDING' }],
    ['of what it makes', { id: '7', status: 'PENDING', matchId: long }],
  ])('the job of a write is refused with an id %s, and the write is open', async (_name, body) => {
    const text = JSON.stringify(body).replace('"NUMBER"', '1'.repeat(256))
    await using server = await scriptedServer([{ status: 202, body: text }])
    await using client = testClient(server.url, { limits: { retry: { maxAttempts: 1 } } })
    await expect(
      client.api.matches.create({ segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }),
    ).rejects.toMatchObject({
      code: 'bad-answer',
      message: expect.stringMatching(
        /POST \/api\/segments\/match.*its \w+ has 256 characters, but an id has at most 255/,
      ),
      request: { outcome: 'unknown' },
    })
  })

  test.each<[string, Operation | undefined, JsonObject]>([
    ['of an item of a list', operations['segments.list'], { segments: [{ segmentId: '1' }, { segmentId: long }] }],
    ['of a group', operations['groups.get'], { groupId: long, groupName: 'n' }],
    ['deep inside', operations['jobs.get'], { id: '1', status: 'SUCCESS', more: [[{ a: { id: long } }]] }],
    ['of an activation', operations['activations.get'], { ActivationId: long, Status: 'ACTIVE' }],
  ])('a read is refused with an id %s', (_name, operation, answer) => {
    const decode = responseDecoder(operation as Operation)
    const request = { input: {}, redact: (text: string) => text }
    expect(decode(JSON.stringify(answer), request)).toEqual({
      state: 'unusable',
      why: expect.stringMatching(/^its \w+ has 256 characters, but an id has at most 255$/),
    })
    const short = JSON.stringify(answer).replaceAll(long, 'j'.repeat(255))
    expect(decode(short, request)).toMatchObject({ state: 'read' })
  })
})

describe('the time that an answer takes grows with its length only', () => {
  test('an id of zeros', () => {
    const { 'segments.get': get } = operations as Record<string, Operation>
    const zeros = '0'.repeat(2_000_000)
    expect(showsOther(get as Operation, { id: '102' }, { id: `${zeros}x` })).toMatch(/^it is about id 0+, but id 102/)
    expect(showsOther(get as Operation, { id: '102' }, { id: `${zeros}102` })).toBeUndefined()
  })

  test('a page of rows with the id of the first, which is long', () => {
    const names = Array.from({ length: 60_000 }, (_, at) => [`n${at}`, 0])
    const first = { ...Object.fromEntries(names), id: 's1' }
    const segments = [first, ...Array.from({ length: 60_000 }, () => ({ id: 's1' })), first]
    const page = listPage(
      { items: 'segments', id: 'id', paged: true },
      { segments },
      {
        asked: { page: 0, pageSize: 100 },
        isFiltered: false,
      },
    )
    expect(new Set(page?.rows.map(({ key }) => key)).size).toBe(2)
  })

  test('an error body with a long text and a long list of errors', () => {
    const same = (text: string) => text
    const body = { detail: 'b'.repeat(2_000_000), errors: Array.from({ length: 200_000 }, (_, at) => `b${at}`) }
    const { detail } = describeErrorBody(JSON.stringify(body), { redact: same, mask: same })
    expect(detail).toMatch(/^b+…$/)
    const short = describeErrorBody(JSON.stringify({ ...body, detail: 'no' }), { redact: same, mask: same })
    expect(short.detail).toMatch(/^no; b0; b1; .*…$/)
  })
})
