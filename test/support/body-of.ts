import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** The body of a request; undefined if the client disconnected before its end, like a process that a test kills. */
export function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  return buffer(request).catch(() => undefined)
}
