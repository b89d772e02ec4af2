import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { crc32 } from 'node:zlib'
import { S3Error } from './s3-error.ts'

export interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const HEADER =
  /^AWS4-HMAC-SHA256 Credential=([^/\s]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/
/** The largest accepted error of a client's clock. */
const SKEW_MS = 15 * 60_000

/** Checks the signature of version 4 in the headers of a request, and the hash of its body. Throws an `S3Error`. */
export function checkSignature(
  request: IncomingMessage,
  {
    body,
    keys,
    region,
    now,
  }: { readonly body: Buffer; readonly keys: Keys; readonly region: string; readonly now: number },
): void {
  const { authorization } = request.headers
  if (authorization === undefined) throw new S3Error(403, 'AccessDenied', 'the request has no signature')
  const [, id, day = '', of, names = '', signature = ''] = HEADER.exec(authorization) ?? []
  if (id === undefined) throw new S3Error(400, 'AuthorizationHeaderMalformed')
  if (of !== region) throw new S3Error(400, 'AuthorizationHeaderMalformed', `the region is ${region}`)
  if (id !== keys.accessKeyId) throw new S3Error(403, 'InvalidAccessKeyId')

  const date = headerOf(request, 'x-amz-date')
  const sent = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!date.startsWith(day) || Number.isNaN(sent)) throw new S3Error(403, 'AccessDenied', 'the date is none')
  if (Math.abs(sent - now) > SKEW_MS) throw new S3Error(403, 'RequestTimeTooSkewed')

  const signed = names.split(';')
  const due = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
  const missing = due.find((name) => !signed.includes(name))
  if (missing !== undefined) throw new S3Error(403, 'AccessDenied', `the header ${missing} is not signed`)

  const hash = headerOf(request, 'x-amz-content-sha256')
  const canonical = [
    request.method,
    ...canonicalTarget(request.url ?? '/'),
    ...signed.map((name) => `${name}:${headerOf(request, name).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    hash,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${keys.secretAccessKey}`,
  )
  if (createHmac('sha256', key).update(text).digest('hex') !== signature)
    throw new S3Error(403, 'SignatureDoesNotMatch')
  checkBody(request, body, hash)
}

/** Chunk framing is refused: a server that stored it as content would be worse. */
function checkBody(request: IncomingMessage, body: Buffer, hash: string): void {
  if (hash.startsWith('STREAMING-') || /aws-chunked/.test(request.headers['content-encoding'] ?? ''))
    throw new S3Error(501, 'NotImplemented', 'aws-chunked is not implemented')
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  const md5 = request.headers['content-md5']
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) throw new S3Error(400, 'BadDigest')
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(body))
  const given = request.headers['x-amz-checksum-crc32']
  if (given !== undefined && given !== crc.toString('base64')) throw new S3Error(400, 'BadDigest')
}

function canonicalTarget(target: string): readonly [path: string, query: string] {
  const [path = '/', query = ''] = target.split('?')
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('=').map((part) => encoded(decodeURIComponent(part))))
    .map(([name = '', value = '']) => `${name}=${value}`)
  return [
    path
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    pairs.sort().join('&'),
  ]
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
}

function headerOf(request: IncomingMessage, name: string): string {
  const value = request.headers[name]
  if (typeof value !== 'string') throw new S3Error(403, 'AccessDenied', `the header ${name} is missing`)
  return value
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}
