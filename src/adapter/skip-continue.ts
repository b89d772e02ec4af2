import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
// @ts-expect-error: undici has no types for its parts.
import symbols from 'undici/lib/core/symbols.js'

/** Where a connection of undici keeps the parser of its answers. */
const PARSER: symbol = symbols.kParser

interface Parser {
  onHeadersComplete(status: number, ...rest: readonly unknown[]): number
}

/**
 * Connections on which an unasked `100 Continue` is skipped (decision 156). undici skips every other 1xx by itself, and
 * ends the connection on a 100, so its parser is told of a 102 instead.
 */
export function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result: buildConnector.CallbackArgs) => {
      const [, socket] = result
      if (socket) watchParser(socket)
      callback(...result)
    })
}

/** undici sets the parser once the connection is there. */
function watchParser(socket: Socket): void {
  const define = (rest: PropertyDescriptor) => Object.defineProperty(socket, PARSER, { configurable: true, ...rest })
  define({
    get: () => undefined,
    set(parser: Parser) {
      const { onHeadersComplete } = parser
      // Another parser than this one is not touched.
      if (typeof onHeadersComplete === 'function') {
        parser.onHeadersComplete = (status, ...rest) =>
          onHeadersComplete.call(parser, status === 100 ? 102 : status, ...rest)
      }
      define({ value: parser, writable: true })
    },
  })
}
