import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import { describeErrorBody } from '../../src/adapter/error-body.ts'
import type { WireResponse } from '../../src/adapter/exchange.ts'
import type { FailureCode } from '../../src/adapter/failure.ts'
import { failureOfBody, failureOfResponse } from '../../src/adapter/failure-of-response.ts'
import { operationOf } from '../../src/contract/operations.ts'

const read = operationOf('segments.get')
const list = operationOf('segments.list')
const create = operationOf('segments.create')
const remove = operationOf('segments.delete')
const redact = (text: string) => text.replaceAll('s3cret', '***')

function failed(
  status: number,
  {
    text = '',
    headers = {},
    operation = create,
    proves = 'nothing',
    ...own
  }: Partial<WireResponse> & {
    operation?: typeof read
    proves?: string
  } = {},
) {
  const response = { status, text, headers, ...own } as WireResponse
  return failureOfResponse(operation, response, { nowMs: 0, redact, proof: { proves } as never })
}

test.each([
  [301, 'redirected'],
  [304, 'bad-answer'],
  [399, 'redirected'],
  [400, 'rejected'],
  [401, 'access-refused'],
  [403, 'access-refused'],
  [404, 'rejected'],
  [407, 'access-refused'],
  [408, 'service-error'],
  [409, 'rejected'],
  [425, 'service-error'],
  [429, 'rate-limited'],
  [499, 'rejected'],
  [500, 'service-error'],
  [503, 'service-error'],
])('a %s to a write is %s', (status, code) => {
  expect(failed(status)).toMatchObject({ code, status, outcome: 'unknown' })
  expect(failed(status, { proves: 'notApplied' })).toMatchObject({ code, outcome: 'rejected' })
  const isFinal = status < 400 || status === 407
  const missing = read.notFound?.some((one) => one === status)
  expect(failed(status, { operation: read })).toMatchObject({
    code: missing ? 'not-found' : code,
    outcome: isFinal ? 'rejected' : 'unknown',
  })
})

test.each([
  ['there is no segment 7', 'not-found'],
  ['the name is too long', 'rejected'],
])('a 400 to a write says what is missing, or does not: %s', (text, code) => {
  expect(remove.notFound).toContain(400)
  expect(failed(400, { text, operation: remove }).code).toBe(code)
  expect(failed(404, { text, operation: remove }).code).toBe('not-found')
  expect(failed(400, { text, operation: list }).code).toBe('rejected')
})

test.each<[Partial<WireResponse> & { status: number }, string | undefined]>([
  [{ status: 500 }, 'Internal Server Error'],
  [{ status: 599 }, undefined],
  [{ status: 500, text: 'out of s3cret' }, 'out of ***'],
  [{ status: 502, text: 'said', byProxy: 'the proxy said' }, 'the proxy said'],
  [{ status: 302 }, 'Found without a Location, so it leads nowhere'],
  [{ status: 399 }, 'a redirect without a Location, so it leads nowhere'],
  [{ status: 302, headers: { location: ' ' } }, 'Found without a Location, so it leads nowhere'],
  [{ status: 302, headers: { location: 'https://a.example/b/s3cret?c=d#e' } }, 'redirects to https://a.example/b/***'],
  [{ status: 302, headers: { location: '/b?c=s3cret' } }, 'redirects to /b'],
  [{ status: 302, headers: { location: 'file:///etc/x' } }, 'redirects to file:/etc/x'],
  [{ status: 302, headers: { location: `/${'o-'.repeat(150)}` } }, `redirects to /${'o-'.repeat(99)}o`],
  [{ status: 304 }, 'Not Modified, although the request had no condition: something in between answers from a cache'],
])('what is said of %j', ({ status, ...own }, detail) => {
  expect(failed(status, own).detail).toBe(detail)
})

test.each([
  [{ 'x-request-id': 'a', 'request-id': 'b' }, 'a'],
  [{ 'request-id': 'b', 'x-correlation-id': 'c' }, 'b'],
  [{ 'x-correlation-id': 'c-s3cret' }, 'c-***'],
  [{ 'x-request-id': '' }, undefined],
  [{ 'x-request-id': 'x'.repeat(120) }, 'x'.repeat(100)],
])('the id of a request in %j', (headers, requestId) => {
  expect(failed(500, { headers }).requestId).toBe(requestId)
  const body = failureOfBody(create, { status: 200, text: '', headers } as WireResponse, { redact })
  expect(body.requestId).toBe(requestId)
})

test.each([
  [create, {}, undefined, 'the answer is not what the contract promises (JSON): no content type, 4 characters'],
  [
    remove,
    { 'content-type': 'text/html' },
    undefined,
    'the answer is not what the contract promises (no body): text/html, 4 characters',
  ],
  [
    create,
    { 'content-type': 'x'.repeat(120) },
    undefined,
    `the answer is not what the contract promises (JSON): ${'x'.repeat(100)}, 4 characters`,
  ],
  [create, {}, 'no id s3cret', 'the answer cannot be used: no id ***'],
  [create, {}, 'x'.repeat(300), `the answer cannot be used: ${'x'.repeat(200)}`],
])('a 2xx that cannot be used is told', (operation, headers, why, detail) => {
  const failure = failureOfBody(operation, { status: 202, text: 'body', headers } as WireResponse, { redact, why })
  expect(failure).toMatchObject({ code: 'bad-answer', outcome: 'unknown', status: 202, detail })
})

const said = (body: unknown) =>
  describeErrorBody(typeof body === 'string' ? body : JSON.stringify(body), { redact, mask: (text) => text }).detail

test.each<[unknown, string | undefined]>([
  ['', undefined],
  ['  \n ', undefined],
  ['"text"', 'text'],
  ['[1]', undefined],
  ['7', undefined],
  [{ title: 't', message: 'm', detail: 'd' }, 'd'],
  [{ title: 't', message: 'm', detail: ' ' }, 'm'],
  [{ error: 'e', error_description: 'why' }, 'why'],
  [{ error: { title: 't', detail: 'inner' } }, 'inner'],
  [{ error: {}, reason: 'r' }, 'r'],
  [{ detail: 'd', errors: [{ pointer: '/a', detail: 'x' }, { field: 'b', message: 'y' }, 'z'] }, 'd; /a x; b y; z'],
  [{ errors: [{ parameter: 'p', title: 'x' }, 'z'] }, 'p x; z'],
  [{ detail: 'd x', errors: [{ field: 'a', detail: 'x' }, 'd', {}, 7] }, 'd x'],
  [{ detail: 'd', errors: 'none' }, 'd'],
  ['<html><title>Bad <b>', 'Bad'],
  ['<html><title> </title><style>x</style><p>Bad</p>gate', 'Bad gate'],
  ['a\u0007b\r\n\tc', 'a b c'],
  ['x'.repeat(300), 'x'.repeat(300)],
  ['x'.repeat(301), `${'x'.repeat(299)}…`],
])('an error body %j says', (body, detail) => {
  expect(said(body)).toBe(detail)
})

test('a list of errors is read as far as it is shown, and no further than its first thousand', () => {
  const many = Array.from({ length: 1001 }, (_, at) => (at < 1000 ? '' : 'last'))
  expect(said({ detail: 'd', errors: many })).toBe('d')
  expect(said({ detail: 'd', errors: many.slice(1) })).toBe('d; last')
})

test.each([
  ['not found', true],
  ['could not be found', true],
  ['there is no match 7', true],
  ['it doesn’t exist', false],
  ["it doesn't exist", true],
  ['unknown id', true],
  ['found', false],
])('%j says that something is missing: %s', (text, isMissing) => {
  const read = describeErrorBody(text, { redact, mask: (one) => one })
  expect(read.saysMissing).toBe(isMissing)
  const typed = JSON.stringify({ type: 'https://a.example/segment-not-found', detail: 'x' })
  expect(describeErrorBody(typed, { redact, mask: (one) => one }).saysMissing).toBe(true)
})

const OPEN = 'check in the service whether it took effect before you send it again'
const AGAIN = 'try again; if it happens again, tell the service’s operator what it said'

test.each<[FailureCode, 'failed' | 'unavailable' | 'interrupted', string, string]>([
  [
    'unreachable',
    'unavailable',
    'failed',
    'check that the base URL is right and that the service can be reached from here',
  ],
  ['circuit-open', 'unavailable', 'failed', 'the service has failed many times in a row; try again in a while'],
  ['not-found', 'failed', 'failed', 'check the id: what it names does not exist or is not visible to you'],
  ['rate-limited', 'failed', 'failed', 'try again later, or lower requestsPerSecond in the profile'],
  ['rejected', 'failed', 'failed', 'correct what the service reports, then run again'],
  ['redirected', 'failed', 'failed', 'set the base URL to the address that the service answers at'],
  ['aborted', 'interrupted', 'was interrupted', AGAIN],
  ['deadline-exceeded', 'failed', 'did not end in time', AGAIN],
  ['connection-lost', 'unavailable', 'failed', AGAIN],
  ['service-error', 'failed', 'failed', AGAIN],
  ['bad-answer', 'failed', 'failed', AGAIN],
])('a read that ends with %s is told with what to do', (code, kind, verb, hint) => {
  const told = (method: string, outcome: 'unknown' | 'rejected' | 'notSent', own: object = {}) =>
    new ApiError({ operation: 'o', method, path: '/p' }, { code, outcome, ...own })
  expect(told('GET', 'unknown')).toMatchObject({ code, kind, hint, message: `GET /p ${verb}` })
  expect(told('GET', 'unknown', { status: 500, detail: 'd' }).message).toBe(`GET /p ${verb}: 500 d`)
  expect(told('GET', 'unknown', { hint: 'do this' }).hint).toBe('do this')
  // A write that may have taken effect is first looked up.
  const write = told('POST', 'unknown', { hint: 'do this' })
  expect(write.message).toBe(`POST /p ${verb}; whether it took effect is not known`)
  expect(write.hint).toBe(hint === AGAIN ? OPEN : hint)
  expect(write.kind).toBe(code === 'connection-lost' ? 'failed' : kind)
  if (code === 'aborted' || code === 'deadline-exceeded') return
  expect(told('POST', 'notSent').message).toBe('POST /p could not be sent')
  expect(told('POST', 'rejected', { status: 422 }).message).toBe('POST /p was rejected: 422')
  expect(told('POST', 'rejected', { hint: 'do this' }).hint).toBe('do this')
})

test.each([
  [401, /^check the token of this profile/],
  [403, /^the token is valid but may not do this/],
  [407, /proxy/],
  [undefined, /^check the token of this profile/],
])('access that is refused with %s says why', (status, hint) => {
  const failure = { code: 'access-refused', outcome: 'rejected', ...(status && { status }) } as const
  const error = new ApiError({ operation: 'o', method: 'POST', path: '/p' }, failure)
  expect(error.hint).toMatch(hint)
  expect(error.kind).toBe('unavailable')
})

test('a 404 that means nothing else asks for the base URL, and an error keeps how long to wait', () => {
  const failure = { code: 'rejected', outcome: 'rejected', status: 404, retryAfterMs: 7 } as const
  const error = new ApiError({ operation: 'o', method: 'POST', path: '/p' }, failure)
  expect(error.hint).toMatch(/^check the base URL of the profile/)
  expect(error.retryAfterMs).toBe(7)
})
