import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
// @ts-expect-error: undici has no types for its parts.
import symbols from 'undici/lib/core/symbols.js'

/** The property in which an undici connection keeps the parser of its answers. */
const PARSER: symbol = symbols.kParser
/** How many bytes an answer may have in addition to its body: header fields, 1xx answers, and chunk framing. */
const MAX_EXCESS_BYTES = 1024 * 1024
/** The error code for an answer that exceeds this limit. */
export const ANSWER_TOO_LARGE = 'ANSWER_TOO_LARGE'

interface Parser {
  statusCode: number
  execute(chunk: Buffer): void
  onHeadersComplete(status: number, ...rest: readonly unknown[]): number
  onBody(chunk: Buffer): number
  onMessageComplete(): number
}

const METHODS = ['execute', 'onHeadersComplete', 'onBody', 'onMessageComplete'] as const

/**
 * Makes connections that skip an unexpected `100 Continue` (decision 156). undici skips every other 1xx, but closes the
 * connection after a 100, so its parser gets a 102 instead.
 *
 * The connections end if an answer has too many bytes in addition to its body. undici itself limits the header fields
 * of one answer, but not the number of 1xx answers before it.
 */
export function guarded(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result: buildConnector.CallbackArgs) => {
      const [, socket] = result
      if (socket) watchParser(socket)
      callback(...result)
    })
}

/** undici sets the parser once the connection exists. */
function watchParser(socket: Socket): void {
  const define = (rest: PropertyDescriptor) => Object.defineProperty(socket, PARSER, { configurable: true, ...rest })
  define({
    get: () => undefined,
    set(parser: Parser) {
      // Any other parser stays unchanged.
      if (METHODS.every((name) => typeof parser[name] === 'function')) guardParser(parser, socket)
      define({ value: parser, writable: true })
    },
  })
}

function guardParser(parser: Parser, socket: Socket): void {
  const { execute, onHeadersComplete, onBody, onMessageComplete } = parser
  let excessBytes = 0
  parser.execute = (chunk) => {
    if (excessBytes > MAX_EXCESS_BYTES) {
      socket.destroy(Object.assign(new Error('the answer is larger than the limit'), { code: ANSWER_TOO_LARGE }))
      return
    }
    excessBytes += chunk.length
    execute.call(parser, chunk)
  }
  parser.onHeadersComplete = (status, ...rest) => onHeadersComplete.call(parser, status === 100 ? 102 : status, ...rest)
  parser.onBody = (chunk) => {
    excessBytes -= 2 * chunk.length
    return onBody.call(parser, chunk)
  }
  parser.onMessageComplete = () => {
    if (parser.statusCode >= 200) excessBytes = 0
    return onMessageComplete.call(parser)
  }
}
