import * as sdk from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type S3Server, startS3Server } from '../../support/s3-server/s3-server.ts'

type Answer = Readonly<Record<string, unknown>>
const commands = sdk as unknown as Readonly<Record<string, new (input: object) => sdk.HeadObjectCommand>>
let server: S3Server
let plain: S3Server

beforeAll(async () => {
  ;[server, plain] = await Promise.all([startS3Server({ isVersioned: true }), startS3Server()])
})
afterAll(() => Promise.all([server.stop(), plain.stop()]))

function client(at: S3Server, keys = at.keys, more: object = {}): sdk.S3Client {
  const config = { region: at.region, endpoint: at.endpoint, forcePathStyle: true, credentials: keys, maxAttempts: 1 }
  return new sdk.S3Client({ ...config, requestChecksumCalculation: 'WHEN_REQUIRED', ...more } as ConstructorParameters<
    typeof sdk.S3Client
  >[0])
}

/** The result of the SDK; for a refusal, its status and code. */
async function ask(name: string, input: object, { at = server, by = client(at) } = {}): Promise<Answer> {
  const Command = commands[`${name}Command`]!
  try {
    return (await by.send(new Command({ Bucket: at.name, ...input }))) as Answer
  } catch (error) {
    const { $metadata, name: code } = error as Error & { readonly $metadata?: { readonly httpStatusCode?: number } }
    return { status: $metadata?.httpStatusCode, code }
  } finally {
    by.destroy()
  }
}
const put = (Key: string, Body: string | Buffer, more: object = {}) => ask('PutObject', { Key, Body, ...more })

test('only the signature of the key is accepted, for what was signed', async () => {
  const as = (accessKeyId: string, secretAccessKey: string, more = {}) =>
    ask('HeadObject', { Key: 'a' }, { by: client(server, { accessKeyId, secretAccessKey }, more) })
  expect(await ask('ListObjectsV2', {}, { by: client(server, { accessKeyId: 'x', secretAccessKey: 'y' }) })).toEqual({
    status: 403,
    code: 'InvalidAccessKeyId',
  })
  expect(await as('an-id', 'another-word')).toMatchObject({ status: 403 })
  expect(await as('an-id', 'a-word')).toMatchObject({ status: 404 })
  expect(await as('an-id', 'a-word', { region: 'eu-north-1' })).toMatchObject({ status: 400 })
  expect((await fetch(`${server.endpoint}/drops/a`)).status).toBe(403)
})

test('keys of any characters are signed and stored as they are', async () => {
  for (const key of ["a b+c%20*'(ü)~!.csv", 'x/../y', 'a//b', '?x=1&y']) {
    expect(await put(key, key)).toMatchObject({ ETag: expect.any(String) })
    expect(String(server.bucket.current(key)?.content)).toBe(key)
    expect(await ask('HeadObject', { Key: key })).toMatchObject({ ContentLength: Buffer.byteLength(key) })
  }
  expect(await put('k'.repeat(1025), '')).toEqual({ status: 400, code: 'KeyTooLongError' })
})

test('framing of aws-chunked is refused, and a wrong checksum too', async () => {
  const { Readable } = await import('node:stream')
  const by = client(server, server.keys, { requestChecksumCalculation: 'WHEN_SUPPORTED' })
  const Body = Readable.from([Buffer.from('abc')])
  const framed = { Key: 'framed', Body, ContentLength: 3, ChecksumAlgorithm: 'CRC32' }
  expect(await ask('PutObject', framed, { by })).toMatchObject({ status: 501 })
  expect(server.bucket.current('framed')).toBeUndefined()
  expect(await put('sum', 'abc', { ContentMD5: 'rL0Y20zC+Fzt72VPzMSk2A==' })).toEqual({
    status: 400,
    code: 'BadDigest',
  })
})

test('all five false conditions are refused, and change nothing', async () => {
  await put('c', 'old')
  const refused = { status: 412, code: 'PreconditionFailed' }
  expect(await put('c', 'new', { IfNoneMatch: '*' })).toEqual(refused)
  expect(await put('c', 'new', { IfMatch: '"0"' })).toEqual(refused)
  expect(await ask('GetObject', { Key: 'c', IfMatch: '"0"' })).toEqual(refused)
  expect(await ask('CopyObject', { Key: 'd', CopySource: 'drops/c', CopySourceIfMatch: '"0"' })).toEqual(refused)
  expect(await ask('DeleteObject', { Key: 'c', IfMatch: '"0"' })).toEqual(refused)
  expect(await ask('DeleteObject', { Key: 'nothing', IfMatch: '"0"' })).toEqual({ status: 404, code: 'NoSuchKey' })
  expect(await ask('CopyObject', { Key: 'c', CopySource: 'drops/x/../y', IfNoneMatch: '*' })).toEqual(refused)
  expect([String(server.bucket.current('c')?.content), server.bucket.current('d')]).toEqual(['old', undefined])
})

test('a list has pages, prefixes and an order of bytes', async () => {
  for (let at = 0; at < 1001; at++) plain.bucket.put(`p/${at}`, Buffer.alloc(0))
  for (const key of ['p/z/1', 'p/z/2', 'p/é', 'q']) plain.bucket.put(key, Buffer.alloc(0))
  const first = await ask('ListObjectsV2', { Prefix: 'p/', Delimiter: '/' }, { at: plain })
  expect(first).toMatchObject({ KeyCount: 1000, IsTruncated: true })
  expect(first.CommonPrefixes ?? []).toEqual([])
  const rest = await ask(
    'ListObjectsV2',
    { Prefix: 'p/', Delimiter: '/', ContinuationToken: first.NextContinuationToken },
    { at: plain },
  )
  expect(rest).toMatchObject({ KeyCount: 3, IsTruncated: false, CommonPrefixes: [{ Prefix: 'p/z/' }] })
  expect((rest.Contents as readonly { readonly Key: string }[]).map(({ Key }) => Key)).toEqual(['p/999', 'p/é'])
  expect(await ask('ListObjectsV2', { ContinuationToken: 'x' }, { at: plain })).toMatchObject({ status: 400 })
  expect(await ask('ListObjectsV2', { Bucket: 'other' }, { at: plain })).toEqual({ status: 404, code: 'NoSuchBucket' })
})

test('ranges are those of HTTP', async () => {
  await put('r', 'abcdef')
  expect(await ask('GetObject', { Key: 'r', Range: 'bytes=2-' })).toMatchObject({
    ContentRange: 'bytes 2-5/6',
    ContentLength: 4,
  })
  expect(await ask('GetObject', { Key: 'r', Range: 'bytes=-1' })).toMatchObject({ ContentRange: 'bytes 5-5/6' })
  expect(await ask('GetObject', { Key: 'r', Range: 'bytes=6-' })).toEqual({ status: 416, code: 'InvalidRange' })
})

test('a delete hides a version, or removes one', async () => {
  const [one, two] = [await put('v', 'one'), await put('v', 'two')]
  const marker = await ask('DeleteObject', { Key: 'v' })
  expect(marker).toMatchObject({ DeleteMarker: true })
  expect(await ask('HeadObject', { Key: 'v' })).toMatchObject({ status: 404 })
  expect(await ask('HeadObject', { Key: 'v', VersionId: one.VersionId })).toMatchObject({ ContentLength: 3 })
  await ask('DeleteObject', { Key: 'v', VersionId: marker.VersionId })
  expect(await ask('HeadObject', { Key: 'v' })).toMatchObject({ VersionId: two.VersionId })
  await ask('DeleteObject', { Key: 'v', VersionId: two.VersionId })
  expect(await ask('HeadObject', { Key: 'v' })).toMatchObject({ VersionId: one.VersionId })
})

test('the ETag of what came in parts is no hash of the content, and parts have a least size', async () => {
  const parts = async (Key: string, contents: readonly Buffer[]) => {
    const { UploadId } = await ask('CreateMultipartUpload', { Key })
    const Parts: object[] = []
    for (const [at, Body] of contents.entries()) {
      const { ETag } = await ask('UploadPart', { Key, UploadId, PartNumber: at + 1, Body })
      Parts.push({ PartNumber: at + 1, ETag })
    }
    return ask('CompleteMultipartUpload', { Key, UploadId, MultipartUpload: { Parts } })
  }
  const large = Buffer.alloc(5 * 2 ** 20, 'a')
  expect(await parts('m', [large, Buffer.from('b')])).toMatchObject({
    ETag: expect.stringMatching(/^"[0-9a-f]{32}-2"$/),
  })
  expect(server.bucket.current('m')?.content.length).toBe(large.length + 1)
  expect(await parts('s', [Buffer.from('a'), Buffer.from('b')])).toEqual({ status: 400, code: 'EntityTooSmall' })
  // A copy of it is a separate object with another ETag.
  expect(await ask('CopyObject', { Key: 'm2', CopySource: 'drops/m' })).toMatchObject({
    CopyObjectResult: { ETag: expect.stringMatching(/^"[0-9a-f]{32}"$/) },
  })
})

test('tags are replaced as a whole, and there are at most ten', async () => {
  await put('t', 'abc')
  const tags = (count: number) => Array.from({ length: count }, (_, at) => ({ Key: `k${at}`, Value: '<&>' }))
  await ask('PutObjectTagging', { Key: 't', Tagging: { TagSet: tags(10) } })
  expect(await ask('GetObjectTagging', { Key: 't' })).toMatchObject({ TagSet: tags(10) })
  expect(await ask('PutObjectTagging', { Key: 't', Tagging: { TagSet: tags(11) } })).toMatchObject({ status: 400 })
})

test('what it does not know is refused, and never ignored', async () => {
  expect(await ask('GetObjectAcl', { Key: 't' })).toMatchObject({ status: 501 })
  expect(await ask('ListObjects', {})).toMatchObject({ status: 501 })
})
