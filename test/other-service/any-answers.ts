import fc from 'fast-check'
import type { Substitute, WriteId } from './ways.ts'

/** An answer to a write from anybody: the service, a proxy, a cache, a portal, a firewall, a time-out layer. */
export interface AnyAnswer extends Substitute {
  readonly operation: WriteId
  /** For a failed test to show. */
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
  real: '',
  realCut: '',
} as const

const STATUSES = [
  ...[
    200, 200, 200, 201, 202, 203, 204, 205, 206, 207, 226, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405,
  ],
  ...[
    407, 407, 408, 408, 409, 410, 413, 418, 421, 422, 423, 425, 426, 428, 429, 431, 451, 499, 500, 500, 501, 502, 503,
    503, 503,
  ],
  ...[504, 505, 507, 511, 520, 599],
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
  ending: fc.constantFrom('end' as const, 'end' as const, 'reset' as const),
})

type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never

/**
 * Any answer but a lie: who refuses, as the contract lets it refuse, did not apply it, and who answers with the very
 * success of the contract did. Nobody can tell those from the service.
 */
export function anyAnswer(operation: WriteId): fc.Arbitrary<AnyAnswer> {
  return shapes.map((shape) => {
    const applied = claim(operation, shape) ?? shape.applied
    return {
      operation,
      when: applied ? 'after' : 'before',
      ending: shape.ending,
      bytes: (real) => bytesOf(shape, real),
      toString: () => `${operation} ${applied ? 'applied' : 'not applied'}, ${JSON.stringify(shape)}`,
    }
  })
}

/** What the answer, if the whole of it arrived, would say for sure. */
function claim(operation: WriteId, { status, body, type, encoding, isSized }: Shape): boolean | undefined {
  if (status >= 400 && status < 500 && ![407, 408, 425].includes(status)) return false
  if (!operation.endsWith('.delete') || type?.includes('html')) return undefined
  // No client reads the body of a 204.
  if (status === 204) return true
  const isCoded = encoding !== undefined && encoding !== 'identity'
  const isEmpty = ['none', 'real', 'realCut'].includes(body) || (body === 'blank' && !isCoded)
  // Without its length, an empty body may be one of which nothing arrived.
  return isEmpty && isSized && (status === 200 || status === 202) ? true : undefined
}

function bytesOf(shape: Shape, real = ''): Buffer {
  const { status, type, retryAfter, location, encoding, body, isSized, interim, arrives } = shape
  const text = body === 'real' ? real : body === 'realCut' ? real.slice(0, real.length / 2) : BODIES[body]
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
