import type { IncomingMessage, ServerResponse } from 'node:http'
import { JsonText } from '../../core/json.ts'

/** Makes JSON text. An integer that a double cannot hold becomes a string. */
export function apiJson(value: unknown): string {
  if (value instanceof JsonText) return value.text
  try {
    // A replacer is called for every field, so it is used only if a response contains such an integer.
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? plain(part) : part))
  }
}

function plain(integer: bigint): number | string {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer.toString()
}

/** Sends a response that must not be cached. */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  { status, text, headers }: { status: number; text: string; headers?: Readonly<Record<string, string>> },
): void {
  // If a request was refused, the rest of its body is not read.
  if (!request.complete) response.setHeader('connection', 'close')
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}
