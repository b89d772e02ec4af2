import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** The body of a request; undefined if its client, say a process that a test kills, went away before its end. */
export function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  return buffer(request).catch(() => undefined)
}
