import { beforeAll } from 'vitest'
import type { S3Config } from '../../../../src/core/remote-source.ts'
import { systemClock } from '../../../../src/platform/clock.ts'
import { loadS3Sdk, openS3Client } from '../../../../src/remote/s3/s3-client.ts'
import { S3Source } from '../../../../src/remote/s3/s3-source.ts'
import { remoteSourceSuite } from '../../../contract/remote-source-suite.ts'

const config = JSON.parse(process.env.REMOTE_SUITE_STORE ?? '{}') as S3Config
const sdk = await loadS3Sdk()
const commands = sdk as unknown as Readonly<
  Record<string, new (input: object) => typeof sdk.HeadObjectCommand.prototype>
>
const client = await openS3Client(sdk, config, process.env)
const AT_ONCE = 50

async function ask(name: string, input: object): Promise<Record<string, unknown>> {
  const Command = commands[`${name}Command`]
  if (!Command) throw new Error(`the SDK has no ${name}`)
  return { ...(await client.send(new Command({ Bucket: config.bucket, ...input }))) }
}

async function keys(Prefix = ''): Promise<readonly string[]> {
  const found: string[] = []
  let ContinuationToken: unknown
  do {
    const page = await ask('ListObjectsV2', { Prefix, ContinuationToken })
    for (const { Key } of (page.Contents ?? []) as readonly { readonly Key: string }[]) found.push(Key)
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
  return found
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) await Promise.all(all.slice(at, at + AT_ONCE).map(work))
}

const put = (Key: string, content: string | Uint8Array) => ask('PutObject', { Key, Body: Buffer.from(content) })

beforeAll(async () => {
  if ((await keys()).length > 0)
    throw new Error(`the bucket ${config.bucket} is not empty, and this writes and deletes in it`)
})

remoteSourceSuite(config.endpoint ?? config.region, async () => ({
  open: () => new S3Source(config, { clock: systemClock, env: process.env }),
  put: async (path, content) => void (await put(path, content)),
  content: async (path) => {
    if (!(await keys(path)).includes(path)) return undefined
    const { Body } = await ask('GetObject', { Key: path })
    return (Body as { transformToString(): Promise<string> }).transformToString()
  },
  names: async (folder) => {
    const inside = (await keys(`${folder}/`)).map((key) => key.slice(folder.length + 1).split('/')[0] ?? '')
    return [...new Set(inside)].sort()
  },
  fill: (folder, count) =>
    each(
      Array.from({ length: count }, (_, at) => `${folder}/${at}.csv`),
      (key) => put(key, ''),
    ),
  remove: async () => each(await keys(), (Key) => ask('DeleteObject', { Key })),
}))
