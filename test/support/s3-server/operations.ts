import type { IncomingHttpHeaders } from 'node:http'
import type { Bucket, Version } from './bucket.ts'
import { document, element, S3Error, textElement } from './s3-error.ts'

export interface S3Request {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface S3Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Behaviour of AWS that this store lacks. */
export interface Weaknesses {
  /** It accepts a conditional delete, but ignores the condition. */
  readonly ignoresConditionsOfDelete?: boolean
}

/** The answer to a request about one object. Throws an `S3Error`. */
export function objectOperation(bucket: Bucket, request: S3Request, weak: Weaknesses): S3Answer {
  const { method, query, headers } = request
  if (query.has('tagging')) return tagging(bucket, request)
  if (method === 'GET' || method === 'HEAD') return get(bucket, request)
  if (method === 'DELETE') return remove(bucket, request, weak)
  if (method === 'POST' && query.has('uploads')) return beginUpload(bucket, request)
  if (method === 'POST' && query.has('uploadId')) return endUpload(bucket, request)
  if (method === 'PUT' && query.has('partNumber')) return putPart(bucket, request)
  if (method === 'PUT' && headers['x-amz-copy-source'] !== undefined) return copy(bucket, request)
  if (method === 'PUT') return put(bucket, request)
  throw new S3Error(405, 'MethodNotAllowed')
}

function get(bucket: Bucket, { method, key, query, headers }: S3Request): S3Answer {
  const version = bucket.find(key, query.get('versionId') ?? undefined)
  requireMatch(version, headers['if-match'])
  if (headers['if-none-match'] === version.etag) return { status: 304 }
  const { content } = version
  const shown = {
    etag: version.etag,
    'last-modified': version.modified.toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': 'binary/octet-stream',
    ...versionHeader(bucket, version),
  }
  const range = rangeOf(headers.range, content.length)
  const part = range ? content.subarray(range.from, range.to + 1) : content
  const status = range ? 206 : 200
  const about: Record<string, string> = range
    ? { 'content-range': `bytes ${range.from}-${range.to}/${content.length}` }
    : {}
  return {
    status,
    headers: { ...shown, ...about, 'content-length': String(part.length) },
    body: method === 'GET' ? part : undefined,
  }
}

function rangeOf(header: string | undefined, length: number): { from: number; to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const to = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (from >= length) throw new S3Error(416, 'InvalidRange')
  return from > to ? undefined : { from, to }
}

function put(bucket: Bucket, { key, headers, body }: S3Request): S3Answer {
  requireWritable(bucket, key, headers)
  const version = bucket.put(key, body)
  return { status: 200, headers: { etag: version.etag, ...versionHeader(bucket, version) } }
}

function copy(bucket: Bucket, { key, headers }: S3Request): S3Answer {
  const [path = '', id] = String(headers['x-amz-copy-source']).split('?versionId=')
  const source = decodeURIComponent(path).replace(/^\//, '')
  const from = source.slice(source.indexOf('/') + 1)
  const version = bucket.find(from, id)
  requireMatch(version, headers['x-amz-copy-source-if-match'] as string | undefined)
  if (from === key && headers['x-amz-metadata-directive'] !== 'REPLACE') throw new S3Error(400, 'InvalidRequest')
  requireWritable(bucket, key, headers)
  const made = bucket.put(key, version.content, { tags: version.tags })
  const about = [textElement('ETag', made.etag), element('LastModified', made.modified.toISOString())]
  return { status: 200, headers: versionHeader(bucket, made), body: document(element('CopyObjectResult', ...about)) }
}

/**
 * As documented: with `If-Match`, 404 if there is no object and 412 if there is another one; without it, always 204.
 */
function remove(bucket: Bucket, { key, query, headers }: S3Request, weak: Weaknesses): S3Answer {
  const condition = headers['if-match']
  if (condition !== undefined && !weak.ignoresConditionsOfDelete) requireMatch(bucket.find(key), condition)
  const id = query.get('versionId') ?? undefined
  const marker = bucket.remove(key, id)
  if (marker) return { status: 204, headers: { 'x-amz-version-id': marker.id, 'x-amz-delete-marker': 'true' } }
  return { status: 204, headers: id === undefined ? {} : { 'x-amz-version-id': id } }
}

function tagging(bucket: Bucket, { method, key, query, body }: S3Request): S3Answer {
  const version = bucket.find(key, query.get('versionId') ?? undefined)
  if (method === 'GET') {
    const tags = [...version.tags].map(([name, value]) =>
      element('Tag', textElement('Key', name), textElement('Value', value)),
    )
    return { status: 200, body: document(element('Tagging', element('TagSet', ...tags))) }
  }
  if (method !== 'PUT') throw new S3Error(405, 'MethodNotAllowed')
  const found = [...String(body).matchAll(/<Tag><Key>([^<]+)<\/Key><Value>([^<]*)<\/Value><\/Tag>/g)]
  if (!/<TagSet/.test(String(body))) throw new S3Error(400, 'MalformedXML')
  const tags = new Map(found.map(([, name = '', value = '']) => [plain(name), plain(value)]))
  if (found.length > 10 || tags.size !== found.length) throw new S3Error(400, 'InvalidTag')
  version.tags = tags
  return { status: 200 }
}

function beginUpload(bucket: Bucket, { key }: S3Request): S3Answer {
  const about = [textElement('Key', key), element('UploadId', bucket.beginUpload(key))]
  return { status: 200, body: document(element('InitiateMultipartUploadResult', ...about)) }
}

function putPart(bucket: Bucket, { key, query, body }: S3Request): S3Answer {
  const part = { number: Number(query.get('partNumber')), content: body }
  return { status: 200, headers: { etag: bucket.putPart(query.get('uploadId') ?? '', key, part) } }
}

function endUpload(bucket: Bucket, { key, query, body, headers }: S3Request): S3Answer {
  requireWritable(bucket, key, headers)
  const parts = [...String(body).matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: plain(/<ETag>([^<]+)</.exec(part)?.[1] ?? ''),
  }))
  const version = bucket.endUpload(query.get('uploadId') ?? '', key, parts)
  const about = [textElement('Key', key), textElement('ETag', version.etag)]
  return { status: 200, body: document(element('CompleteMultipartUploadResult', ...about)) }
}

function requireMatch({ etag }: Version, condition: string | undefined): void {
  if (condition !== undefined && condition !== '*' && condition.replaceAll('"', '') !== etag.replaceAll('"', ''))
    throw new S3Error(412, 'PreconditionFailed')
}

function requireWritable(bucket: Bucket, key: string, headers: IncomingHttpHeaders): void {
  const none = headers['if-none-match']
  if (none !== undefined && none !== '*') throw new S3Error(501, 'NotImplemented')
  if (none === '*' && bucket.current(key)) throw new S3Error(412, 'PreconditionFailed')
  if (headers['if-match'] !== undefined) requireMatch(bucket.find(key), headers['if-match'])
}

function versionHeader(bucket: Bucket, { id }: Version): Record<string, string> {
  return bucket.isVersioned ? { 'x-amz-version-id': id } : {}
}

function plain(xml: string): string {
  const named: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" }
  return xml.replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) =>
    code ? String.fromCodePoint(Number(code)) : (named[name] ?? ''),
  )
}
