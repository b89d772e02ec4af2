import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../api-error.ts'

/** Checks that a body, if there is one, is plain JSON. Throws a 415. */
export function requireJsonBody(headers: IncomingHttpHeaders): void {
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (isEmpty) return
  if (!isJsonType(headers['content-type'])) {
    throw new Refusal('unsupported-media-type', 'the Content-Type must be application/json')
  }
  if (headers['content-encoding'] !== undefined) {
    throw new Refusal('unsupported-media-type', 'the body must not be encoded (Content-Encoding)')
  }
}

/** Whether a Content-Type header says multipart/form-data. The parser checks the boundary. */
export function isMultipartType(header: string | undefined): boolean {
  return partsOf(header)[0] === 'multipart/form-data'
}

/** Whether a Content-Type header says JSON in UTF-8 (decision 7). */
function isJsonType(header: string | undefined): boolean {
  const [type, ...parameters] = partsOf(header)
  return type === 'application/json' && parameters.every((part) => !part.startsWith('charset') || UTF8.test(part))
}

const UTF8 = /^charset\s*=\s*"?utf-?8"?$/

function partsOf(header: string | undefined): string[] {
  return (header ?? '').split(';').map((part) => part.trim().toLowerCase())
}
