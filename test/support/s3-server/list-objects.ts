import type { Bucket } from './bucket.ts'
import { document, element, S3Error, textElement } from './s3-error.ts'

const MAX_KEYS = 1000

/** The answer to ListObjectsV2: keys and common prefixes, in pages. */
export function listObjects(bucket: Bucket, name: string, query: URLSearchParams): string {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? '']
  const max = Number(query.get('max-keys') ?? MAX_KEYS)
  if (!Number.isInteger(max) || max < 0) throw new S3Error(400, 'InvalidArgument')
  const after = afterOf(query)
  const encode = encoding(query.get('encoding-type'))
  const listed: { readonly text: string; readonly isPrefix: boolean }[] = []
  let isTruncated = false
  for (const key of bucket.keys) {
    if (!key.startsWith(prefix)) continue
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const text = at < 0 ? key : key.slice(0, at + delimiter.length)
    if (after !== undefined && Buffer.compare(Buffer.from(text), Buffer.from(after)) <= 0) continue
    if (listed.at(-1)?.text === text) continue
    isTruncated = listed.length >= Math.min(max, MAX_KEYS)
    if (isTruncated) break
    listed.push({ text, isPrefix: at >= 0 })
  }
  const contents = listed.map(({ text, isPrefix }) =>
    isPrefix ? element('CommonPrefixes', textElement('Prefix', encode(text))) : contentOf(bucket, text, encode),
  )
  const last = listed.at(-1)?.text
  return document(
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${[
      textElement('Name', name),
      textElement('Prefix', encode(prefix)),
      element('KeyCount', listed.length),
      element('MaxKeys', max),
      element('IsTruncated', String(isTruncated)),
      query.has('encoding-type') ? element('EncodingType', 'url') : '',
      isTruncated && last !== undefined ? element('NextContinuationToken', tokenOf(last)) : '',
      ...contents,
    ].join('')}</ListBucketResult>`,
  )
}

function contentOf(bucket: Bucket, key: string, encode: (text: string) => string): string {
  const { etag, content, modified } = bucket.find(key)
  return element(
    'Contents',
    textElement('Key', encode(key)),
    element('LastModified', modified.toISOString().replace(/\.\d+Z$/, '.000Z')),
    textElement('ETag', etag),
    element('Size', content.length),
    element('StorageClass', 'STANDARD'),
  )
}

function encoding(type: string | null): (text: string) => string {
  if (type === null) return (text) => text
  if (type !== 'url') throw new S3Error(400, 'InvalidArgument')
  return (text) => encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%20', '+')
}

function tokenOf(key: string): string {
  return Buffer.from(`1${key}`).toString('base64')
}

function afterOf(query: URLSearchParams): string | undefined {
  const token = query.get('continuation-token')
  if (token === null) return query.get('start-after') ?? undefined
  const text = Buffer.from(token, 'base64').toString()
  if (!text.startsWith('1')) throw new S3Error(400, 'InvalidArgument')
  return text.slice(1)
}
