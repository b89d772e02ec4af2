import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import { VENDOR_MEDIA_TYPE } from '../../contract/operation.ts'
import { bearerToken, mediaTypeParts } from '../../http/request-headers.ts'
import { Refusal } from '../api-error.ts'

/** Admits a request if `isValid` accepts its bearer token. Otherwise throws a 401 with the challenge (decision 9). */
export function requireToken(header: string | undefined, isValid: (token: string) => boolean): void {
  if (header === undefined) throw unauthorized('an access token is required: Authorization: Bearer <token>', '')
  const token = bearerToken(header)
  if (token === undefined || !isValid(token)) {
    throw unauthorized('the access token is not valid here', ', error="invalid_token"')
  }
}

function unauthorized(detail: string, suffix: string): Refusal {
  const challenge = `Bearer realm="audience-data-service"${suffix}`
  return new Refusal('unauthorized', detail, { headers: { 'www-authenticate': challenge } })
}

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

/** Checks that a body is multipart/form-data. The parser checks the boundary. Throws a 415. */
export function requireMultipartBody(headers: IncomingHttpHeaders): void {
  if (mediaTypeParts(headers['content-type'])[0] === 'multipart/form-data') return
  throw new Refusal('unsupported-media-type', 'the Content-Type must be multipart/form-data')
}

/** Whether a Content-Type header says JSON in UTF-8 (decision 7). */
function isJsonType(header: string | undefined): boolean {
  const [type, ...parameters] = mediaTypeParts(header)
  return type === 'application/json' && parameters.every((part) => !part.startsWith('charset') || UTF8.test(part))
}

const UTF8 = /^charset\s*=\s*"?utf-?8"?$/

/**
 * Whether an Accept header allows the vendor media type. The most specific range decides; its q-value must be above 0
 * (decisions 3 and 5). A missing header does not allow it, because every endpoint requires one.
 */
export function acceptsVendorType(header: string | undefined): boolean {
  const accept = header?.replaceAll(UTF8_PARAMETER, '').replaceAll(WRONG_WEIGHT, ';q=0') ?? ''
  return new Negotiator({ headers: { accept } }).mediaType([VENDOR_MEDIA_TYPE]) !== undefined
}

/** This charset parameter is removed from the Accept header, because JSON is always UTF-8. */
const UTF8_PARAMETER = /;\s*charset\s*=\s*"?utf-?8"?(?=\s*(?:[;,]|$))/gi

/** A q-value that is not a number from 0 to 1. Negotiator would read `q=2` as 2. */
const WRONG_WEIGHT = /;\s*q\s*=(?!\s*(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:[;,]|$))[^;,]*/gi
