import fc from 'fast-check'
import { parseExact, writeExact } from './exact-json.ts'
import type { ReadId, Substitute, WriteId } from './ways.ts'

/** An answer from anything: the service, a proxy, a cache, a captive portal, a firewall, a layer that times out. */
export interface AnyAnswer extends Substitute {
  readonly operation: WriteId | ReadId
  /** Shown when a test fails. */
  toString(): string
}

const PAGE = '<!doctype html><html><head><title>Sign in</title></head><body>Welcome</body></html>'
const BODIES = {
  none: '',
  blank: '\r\n',
  page: PAGE,
  ok: 'OK',
  object: '{}',
  list: '[]',
  nothing: 'null',
  text: '"done"',
  problem: '{"type":"about:blank","title":"Oops","status":500,"detail":"try again"}',
  errorWithId: '{"id":"9f1c","status":500,"error":"Internal Server Error"}',
  page0: '{"segments":[],"matches":[],"activations":[],"files":[],"page":0,"pageSize":10,"hasMore":false}',
  unnamed: '{"status":"PENDING"}',
  blankId: '{"id":"","status":"PENDING","name":"","segmentName":""}',
  deep: `{"id":"1","status":"PENDING","segmentName":"a","name":"a","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  real: '',
  realCut: '',
  /** Whether it is about another thing, as far as this kind of answer can show that. */
  other: '',
} as const

/** The ids and names of other things. No step may show them. */
export const OTHER = '900090009'

const STATUSES = [
  ...[
    200, 200, 200, 201, 202, 203, 204, 205, 206, 207, 226, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405,
  ],
  ...[
    407, 407, 408, 408, 409, 410, 413, 418, 421, 422, 423, 425, 426, 428, 429, 431, 451, 499, 500, 500, 501, 502, 503,
    503, 503,
  ],
  ...[504, 505, 507, 511, 520, 599],
  // Not an HTTP status.
  ...[0, 99, 600, 999, 1000],
]
const TYPES = [
  undefined,
  'application/vnd.service.v1+json',
  'application/json; charset=utf-8',
  'text/html; charset=utf-8',
  'text/plain',
  'application/problem+json',
  'application/octet-stream',
]

const ENDINGS = ['end', 'end', 'end', 'end', 'reset', 'reset', 'reset', 'drip'] as const

const shapes = fc.record({
  applied: fc.boolean(),
  status: fc.constantFrom(...STATUSES),
  type: fc.constantFrom(...TYPES),
  retryAfter: fc.option(fc.constantFrom('0', '1', '3', 'soon', '1000000000', '9'.repeat(30)), { nil: undefined }),
  location: fc.option(fc.constantFrom('/', 'https://elsewhere.test/login'), { nil: undefined }),
  encoding: fc.constantFrom(undefined, undefined, undefined, undefined, 'identity', 'gzip', 'zstd'),
  body: fc.constantFrom(...(Object.keys(BODIES) as (keyof typeof BODIES)[]), 'real' as const, 'none' as const),
  isSized: fc.boolean(),
  interim: fc.array(fc.constantFrom(100, 102, 103), { maxLength: 2 }),
  /** The share of the bytes that arrive. */
  arrives: fc.oneof(fc.constant(1), fc.constant(1), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  ending: fc.constantFrom(...ENDINGS),
})

type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never

/** A complete answer about another thing, as any service would give it. */
const OF_ANOTHER: Shape = {
  ...{ applied: true, status: 200, type: 'application/json', body: 'other', isSized: true, interim: [], arrives: 1 },
  ...{ ending: 'end', retryAfter: undefined, location: undefined, encoding: undefined },
}

/**
 * Any answer except a lie. A refusal as in the contract means that the write was not applied; a success as in the
 * contract means that it was. Nobody can distinguish these from answers of the service.
 */
export function anyAnswer(operation: WriteId): fc.Arbitrary<AnyAnswer> {
  return shapes.map((shape) => {
    const applied = claim(operation, shape) ?? shape.applied
    return {
      operation,
      when: applied ? 'after' : 'before',
      ending: shape.ending,
      bytes: (real) => bytesOf(shape, shape.body === 'other' ? otherOf(operation) : real),
      toString: () => `${operation} ${applied ? 'applied' : 'not applied'}, ${JSON.stringify(shape)}`,
    }
  })
}

/**
 * Any answer to a read except a refusal, which says that the thing does not exist. `named`: the step knows the name of
 * the thing that it reads, so it also notices another name.
 */
export function anyRead(operation: ReadId, isNamed: boolean): fc.Arbitrary<AnyAnswer> {
  const shape = fc.oneof(
    shapes.filter(({ status }) => status < 400 || status > 499 || isOpen(status)),
    fc.constant(OF_ANOTHER),
  )
  return fc.record({ shape, isSameId: fc.boolean() }).map(({ shape, isSameId }) => ({
    operation,
    when: 'after',
    ending: shape.ending,
    bytes: (real) => bytesOf(shape, shape.body === 'other' ? otherThan(real, isNamed && isSameId) : real),
    toString: () => `${operation}${isNamed && isSameId ? ' by its name' : ''}, ${JSON.stringify(shape)}`,
  }))
}

/** What the answer would prove if it had arrived completely. */
function claim(operation: WriteId, { status, body, type, encoding, isSized }: Shape): boolean | undefined {
  if (status >= 400 && status < 500 && !isOpen(status)) return false
  if (!operation.endsWith('.delete') || type?.includes('html')) return undefined
  // No client reads the body of a 204.
  if (status === 204) return true
  const isCoded = encoding !== undefined && encoding !== 'identity'
  const isEmpty = ['none', 'real', 'realCut'].includes(body) || (body === 'blank' && !isCoded)
  // Without a length, an empty body may be one that did not arrive at all.
  return isEmpty && isSized && (status === 200 || status === 202) ? true : undefined
}

/** A 4xx that says nothing about the request. */
function isOpen(status: number): boolean {
  return [407, 408, 425].includes(status)
}

/** The same answer about another thing: with another id, or with the same id and another name. */
function otherThan(real = '', isSameId = false): string {
  const fields = isSameId ? ['participantSegmentId', 'ActivationName'] : ['id', 'matchId', 'segmentId', 'ActivationId']
  const thing: unknown = real.startsWith('{') ? parseExact(real) : {}
  const others = Object.entries(thing as object).map(([name, value]) => [name, fields.includes(name) ? OTHER : value])
  return writeExact(Object.fromEntries(others))
}

/** The answer to a write about another thing, if the answer shows its thing. */
function otherOf(operation: WriteId): string {
  if (operation === 'segments.update') return `{"id":"${OTHER}","segmentName":"New"}`
  const isShown = operation === 'segments.refresh' || operation === 'segments.share'
  return isShown ? `{"id":"1","status":"SUCCESS","segmentId":"${OTHER}"}` : '{}'
}

function bytesOf(shape: Shape, real = ''): Buffer {
  const { status, type, retryAfter, location, encoding, body, isSized, interim, arrives } = shape
  const text =
    body === 'real' || body === 'other' ? real : body === 'realCut' ? real.slice(0, real.length / 2) : BODIES[body]
  const headers = {
    'content-type': type,
    'retry-after': retryAfter,
    location,
    'content-encoding': encoding,
    'content-length': isSized ? String(Buffer.byteLength(text)) : undefined,
    connection: 'close',
  }
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  const before = interim.map((code) => `HTTP/1.1 ${code} Wait\r\n\r\n`).join('')
  const bytes = Buffer.from(`${before}HTTP/1.1 ${status} Status\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
  return bytes.subarray(0, Math.ceil(bytes.length * arrives))
}
