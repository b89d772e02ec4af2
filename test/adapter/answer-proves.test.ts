import { describe, expect, test } from 'vitest'
import { answerProves } from '../../src/adapter/answer-proves.ts'
import { planOf } from '../../src/adapter/request-plan.ts'
import { isOperationId, type OperationId, operations } from '../../src/contract/operations.ts'

/** docs/decisions.md, "What an answer proves", as rows. */

const JOB = '{"id":"7","status":"PENDING"}'
const OF: Partial<Record<OperationId, string>> = {
  'files.upload': '{"name":"a.csv"}',
  'segments.update': '{"id":"7","segmentName":"A"}',
}
const writes = Object.keys(operations)
  .filter(isOperationId)
  .filter((id) => operations[id].method !== 'GET')
const deletes = writes.filter((id) => operations[id].method === 'DELETE')
const others = writes.filter((id) => !deletes.includes(id))

interface Row {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly text?: string
  readonly flaw?: string
}

function proves(id: OperationId, { status, headers = {}, text = '', flaw }: Row, retryAfterMeansRefused = false) {
  const { operation, decode } = planOf(id)
  const read = (body: string) => decode(body, { input: {}, redact: (kept) => kept })
  return answerProves({ operation, decode: read }, { status, headers, text, flaw }, { retryAfterMeansRefused }).proves
}

const json = { 'content-type': 'application/vnd.service.v1+json' }
const html = { 'content-type': 'text/html; charset=utf-8' }
const EMPTY = { 'content-length': '0' }
const PAGE = '<!doctype html><title>Sign in</title>'

describe('whatever the write, without its success', () => {
  const rows: readonly [Row, 'notApplied' | 'nothing'][] = [
    ...[400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 429, 451, 499].map(
      (status): [Row, 'notApplied'] => [{ status }, 'notApplied'],
    ),
    [{ status: 400, headers: html, text: PAGE, flaw: 'it broke off' }, 'notApplied'],
    ...[407, 408, 425, 500, 501, 502, 503, 504, 520, 599, 600, 999].map((status): [Row, 'nothing'] => [
      { status },
      'nothing',
    ]),
    ...[300, 301, 302, 303, 304, 307, 308].map((status): [Row, 'nothing'] => [
      { status, headers: { location: 'https://elsewhere.test/' } },
      'nothing',
    ]),
    ...['5', '0', 'soon', 'Fri, 31 Dec 9999 23:59:59 GMT'].map((retryAfter): [Row, 'nothing'] => [
      { status: 503, headers: { 'retry-after': retryAfter } },
      'nothing',
    ]),
    ...[200, 201, 202, 203, 207].flatMap((status): [Row, 'nothing'][] => [
      [{ status, headers: html, text: PAGE }, 'nothing'],
      [{ status, headers: html }, 'nothing'],
      [{ status, text: PAGE }, 'nothing'],
      [{ status, headers: { 'content-type': 'text/plain' }, text: 'OK' }, 'nothing'],
      [{ status, headers: json, text: '{}' }, 'nothing'],
      [{ status, headers: json, text: '[]' }, 'nothing'],
      [{ status, headers: json, text: 'null' }, 'nothing'],
      [{ status, headers: json, text: '"ok"' }, 'nothing'],
      [{ status, headers: json, text: '{"id":"7","status":500,"title":"Oops"}' }, 'nothing'],
      [{ status, headers: json, text: '{"id":"","status":"PENDING","name":""}' }, 'nothing'],
      [{ status, headers: json, text: '{"segments":[],"page":0,"pageSize":10,"hasMore":false}' }, 'nothing'],
      [{ status, flaw: 'it broke off' }, 'nothing'],
    ]),
    [{ status: 205 }, 'nothing'],
    ...[206, 300].map((status): [Row, 'nothing'] => [{ status, headers: json, text: JOB }, 'nothing']),
    ...[206, 300].map((status): [Row, 'nothing'] => [{ status, headers: EMPTY }, 'nothing']),
  ]
  test.each(rows)('%j proves %s', (row, expected) => {
    expect(writes.map((id) => [id, proves(id, row)])).toEqual(writes.map((id) => [id, expected]))
  })
})

test.each([200, 201, 202, 203, 207])('%i with the JSON that it promises is the success of a write', (status) => {
  for (const id of others) {
    const text = OF[id] ?? JOB
    for (const type of [json['content-type'], 'application/json; charset=utf-8', 'text/json', undefined]) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      expect([id, type, proves(id, { status, headers, text })]).toEqual([id, type, 'applied'])
    }
    for (const type of ['text/html', 'text/plain', 'application/problem+json', 'application/octet-stream']) {
      expect([id, type, proves(id, { status, headers: { 'content-type': type }, text })]).toEqual([id, type, 'nothing'])
    }
    expect([id, proves(id, { status, headers: json, text: text.slice(0, -1), flaw: 'it broke off' })]).toEqual([
      id,
      'nothing',
    ])
    expect([id, proves(id, { status })]).toEqual([id, 'nothing'])
  }
})

test.each([
  [{ status: 200, headers: EMPTY }, 'applied'],
  [{ status: 202, headers: { 'transfer-encoding': 'chunked' } }, 'applied'],
  [{ status: 204 }, 'applied'],
  [{ status: 200, headers: { ...json, ...EMPTY } }, 'applied'],
  [{ status: 200, headers: { 'content-length': '2' }, text: '\r\n' }, 'applied'],
  // The answer may be a page whose body never arrived.
  [{ status: 200 }, 'nothing'],
  [{ status: 201, headers: EMPTY }, 'nothing'],
  [{ status: 203, headers: EMPTY }, 'nothing'],
  [{ status: 207, headers: EMPTY }, 'nothing'],
  [{ status: 200, headers: json, text: JOB }, 'nothing'],
] as const)('%j to a delete proves %s (decisions 53, 76 and 150)', (row, expected) => {
  expect(deletes.map((id) => proves(id, row))).toEqual(deletes.map(() => expected))
})

test('a service that documents it may refuse by a 503 with Retry-After, and by nothing else', () => {
  const putOff = { status: 503, headers: { 'retry-after': '5' } }
  for (const id of writes) {
    expect(proves(id, putOff, true)).toBe('notApplied')
    for (const row of [{ status: 503 }, { ...putOff, status: 502 }, { ...putOff, status: 408 }]) {
      expect(proves(id, row, true)).toBe('nothing')
    }
  }
})
