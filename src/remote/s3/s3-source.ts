import type { Readable } from 'node:stream'
import { type SteadyClock, within } from '../../core/clock.ts'
import { namesTaken, remoteError, tooManyEntries } from '../../core/remote-error.ts'
import { joinRemotePath, whyNoRemotePath } from '../../core/remote-path.ts'
import {
  MAX_REMOTE_ENTRIES,
  MAX_REMOTE_FILES,
  type RemoteFile,
  type RemoteSource,
  type S3Config,
} from '../../core/remote-source.ts'
import { ExactDelete, type Looked } from './exact-delete.ts'
import { fileOf, listedEntries } from './list-page.ts'
import type { Environment } from './s3-client.ts'
import { S3Connection } from './s3-connection.ts'
import { bucketPlace } from './s3-failure.ts'

/** How long all pages of a listing may take. */
const LIST_MS = 300_000
/** The time limit for a copy inside the store: 5 GB takes minutes. */
const COPY_MS = 900_000
/** An empty page counts as a full page, because a store might never end its list. */
const PAGE_ENTRIES = 1000

/** The objects of a bucket, through the AWS SDK. A folder is the part of a key before a slash. */
export class S3Source implements RemoteSource {
  readonly can = { take: false, versions: true, tag: true } as const
  readonly #connection: S3Connection
  readonly #delete: ExactDelete

  constructor(config: S3Config, options: { clock: SteadyClock; env: Environment }) {
    this.#connection = new S3Connection(config, options)
    this.#delete = new ExactDelete(this.#connection)
  }

  async describe(signal: AbortSignal): Promise<string> {
    const place = bucketPlace(this.#connection.config)
    await this.#page({ MaxKeys: 1 }, { signal, folder: '' })
    return `${place.replace(/^the /, '')} ok`
  }

  list(folder: string, isWanted: (name: string) => boolean, { signal }: { signal: AbortSignal }) {
    const what = `the folder ${folder || '.'} cannot be listed`
    return this.#connection.guard(signal, { what }, (limited) =>
      within(LIST_MS, (each) => this.#entries(folder, { isWanted, signal: each }), {
        clock: this.#connection.clock,
        signal: limited,
      }),
    )
  }

  async #entries(folder: string, { isWanted, signal }: { isWanted: (name: string) => boolean; signal: AbortSignal }) {
    const prefix = joinRemotePath(folder, '')
    const files: RemoteFile[] = []
    let unusable = 0
    let seen = 0
    let token: string | undefined
    do {
      const page = await this.#page({ Prefix: prefix, ContinuationToken: token }, { signal, folder })
      for (const { name, file } of listedEntries(page, prefix)) {
        if (name !== '' && !isWanted(name)) continue
        if (file) files.push(file)
        else unusable += 1
      }
      seen += (page.Contents?.length ?? 0) + (page.CommonPrefixes?.length ?? 0) || PAGE_ENTRIES
      if (seen > MAX_REMOTE_ENTRIES || files.length > MAX_REMOTE_FILES) throw tooManyEntries(folder, files.length)
      const next = page.IsTruncated ? page.NextContinuationToken : undefined
      if (page.IsTruncated && (next === undefined || next === token))
        throw this.#nonsense('a truncated list that cannot be continued')
      token = next
    } while (token !== undefined)
    return { files, unusable }
  }

  async #page(
    input: { Prefix?: string; ContinuationToken?: string; MaxKeys?: number },
    { signal, folder }: { signal: AbortSignal; folder: string },
  ) {
    const page = await this.#connection.send(
      ({ ListObjectsV2Command }, Bucket) =>
        new ListObjectsV2Command({ Bucket, Delimiter: '/', EncodingType: 'url', ...input }),
      { signal, what: `the folder ${folder || '.'} cannot be listed` },
    )
    if (page === 'missing' || page === 'changed') throw this.#nonsense('no list')
    return page
  }

  async look(path: string, { signal }: { signal: AbortSignal }): Promise<RemoteFile | undefined> {
    return (await this.#look(path, signal))?.file
  }

  async #look(path: string, signal: AbortSignal): Promise<Looked | undefined> {
    const answer = await this.#connection.send(
      ({ HeadObjectCommand }, Bucket) => new HeadObjectCommand({ Bucket, Key: path }),
      { signal, what: `${path} cannot be examined` },
    )
    if (answer === 'missing') return undefined
    const { ContentLength: Size, VersionId: versionId, ...said } = answer === 'changed' ? {} : answer
    const file = fileOf(path, { ...said, Size })
    if (!file) throw this.#nonsense(`${path} without size, time or ETag`)
    return { file, versionId }
  }

  async *read({ path, size, version }: RemoteFile, { signal }: { signal: AbortSignal }): AsyncIterable<Uint8Array> {
    const what = `${path} cannot be read`
    const answer = await this.#connection.send(
      ({ GetObjectCommand }, Bucket) => new GetObjectCommand({ Bucket, Key: path, IfMatch: version }),
      { signal, what },
    )
    if (answer === 'missing' || answer === 'changed') throw changed(path)
    const { Body, ETag, ContentRange } = answer
    // The answer is checked, because a store may ignore a condition of the request.
    if (!Body || ETag !== version || ContentRange !== undefined) {
      Body?.destroy()
      throw ETag === version ? this.#nonsense(`a part of ${path}`) : changed(path)
    }
    let left = size
    try {
      const limited = this.#connection.limit(signal)
      for await (const piece of readObject(Body, { length: left, clock: this.#connection.clock, signal: limited })) {
        left -= piece.length
        yield piece
      }
    } catch (error) {
      throw this.#connection.failure(error, { signal, what })
    }
    if (left > 0) throw changed(path)
  }

  async take(): Promise<undefined> {
    throw new Error('a file in a bucket is not taken: the ledger says who has it')
  }

  /**
   * Copies the file, checks the copy, and deletes exactly what was copied. After a crash in between, the copy is found.
   */
  async move(
    file: RemoteFile,
    given: { folder: string; name: string; ticket: string; signal: AbortSignal },
  ): Promise<string | undefined> {
    const { folder, name, ticket, signal } = given
    const source = await this.#same(file, signal)
    if (!source) return undefined
    const exactly = await this.#delete.plan(source, signal)
    const names = [name, `${ticket}-${name}`]
    for (const as of names) {
      const to = joinRemotePath(folder, as)
      if (whyNoRemotePath(to) !== undefined) continue
      const there = await this.#look(to, signal)
      if (there && !isCopy(there, source, as !== name)) continue
      if (!there && !(await this.#copy(source, to, signal))) {
        await this.#same(file, signal)
        continue
      }
      const copy = there ?? (await this.#look(to, signal))
      if (!copy || !isCopy(copy, source, true)) throw this.#nonsense(`a copy of ${file.path} that differs from it`)
      if ((await this.#delete.run(file.path, exactly, signal)) !== 'changed') return to
      if (!there) await this.#delete.run(to, await this.#delete.plan(copy, signal), signal)
      throw changed(file.path)
    }
    throw namesTaken(file.path, folder, names)
  }

  /** Returns false if the source has changed, or if somebody else made the target. */
  async #copy({ file, versionId }: Looked, to: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#connection.send(
      ({ CopyObjectCommand }, Bucket) => {
        const source = `${Bucket}/${file.path}`.split('/').map(encodeURIComponent).join('/')
        return new CopyObjectCommand({
          Bucket,
          Key: to,
          CopySource: versionId === undefined ? source : `${source}?versionId=${encodeURIComponent(versionId)}`,
          CopySourceIfMatch: file.version,
          IfNoneMatch: '*',
        })
      },
      { signal, what: `${file.path} cannot be copied to ${to}`, act: 'write', ms: COPY_MS },
    )
    return answer !== 'missing' && answer !== 'changed'
  }

  async remove(file: RemoteFile, { signal }: { signal: AbortSignal }): Promise<boolean> {
    const looked = await this.#same(file, signal)
    if (!looked) return false
    if ((await this.#delete.run(file.path, await this.#delete.plan(looked, signal), signal)) === 'changed')
      throw changed(file.path)
    return true
  }

  async tag(
    file: RemoteFile,
    { key, value, signal }: { key: string; value: string; signal: AbortSignal },
  ): Promise<boolean> {
    const looked = await this.#same(file, signal)
    if (!looked) return false
    const place = { Key: file.path, VersionId: looked.versionId }
    const what = `${file.path} cannot be tagged`
    const found = await this.#connection.send(
      ({ GetObjectTaggingCommand }, Bucket) => new GetObjectTaggingCommand({ Bucket, ...place }),
      { signal, what, act: 'write' },
    )
    if (found === 'missing' || found === 'changed') return false
    const TagSet = [...(found.TagSet ?? []).filter(({ Key }) => Key !== key), { Key: key, Value: value }]
    const put = await this.#connection.send(
      ({ PutObjectTaggingCommand }, Bucket) => new PutObjectTaggingCommand({ Bucket, ...place, Tagging: { TagSet } }),
      { signal, what, act: 'write' },
    )
    // Without versions, the tag may end up on another file.
    return put !== 'missing' && put !== 'changed' && (await this.#same(file, signal)) !== undefined
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  /** The file, if it is still there. Throws if it has another version by now. */
  async #same(file: RemoteFile, signal: AbortSignal): Promise<Looked | undefined> {
    const looked = await this.#look(file.path, signal)
    if (looked && looked.file.version !== file.version) throw changed(file.path)
    return looked
  }

  #nonsense(what: string) {
    const message = `${bucketPlace(this.#connection.config)} answered with ${what}`
    return remoteError('source-unreachable', { message, hint: 'check that the endpoint is a store that speaks S3' })
  }
}

/**
 * The ETag of a copy differs if the file came in parts. In that case, the only proof is that the copy has a name of our
 * own, or that we have just made it.
 */
function isCopy(copy: Looked, source: Looked, isOurs: boolean): boolean {
  return copy.file.size === source.file.size && (isOurs || copy.file.version === source.file.version)
}

function changed(path: string) {
  return remoteError('source-file-changed', {
    message: `${path} is gone, or another version is there`,
    hint: 'it is read again when it has settled',
  })
}

/** How long the store may send nothing in the middle of a file. */
const SILENCE_MS = 60_000

/** Reads at most `length` bytes of a body. Afterwards, its connection is always free. */
async function* readObject(
  body: Readable,
  { length, clock, signal }: { length: number; clock: SteadyClock; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let isWaiting = true
  const silence = clock.timer(SILENCE_MS, () => {
    if (isWaiting) body.destroy(new DOMException('it sends nothing', 'TimeoutError'))
    else silence.refresh()
  })
  const stop = () => void body.destroy()
  signal.addEventListener('abort', stop, { once: true })
  let left = length
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      isWaiting = false
      if (piece.length > 0) yield piece.length > left ? piece.subarray(0, left) : piece
      left -= piece.length
      if (left <= 0) return
      signal.throwIfAborted()
      isWaiting = true
      silence.refresh()
    }
  } finally {
    silence.cancel()
    signal.removeEventListener('abort', stop)
    body.destroy()
  }
}
