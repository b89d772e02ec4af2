import { createHash } from 'node:crypto'
import { S3Error } from './s3-error.ts'

export interface Version {
  readonly id: string
  readonly content: Buffer
  readonly etag: string
  readonly modified: Date
  /** A version that marks the key as deleted. */
  readonly isMarker: boolean
  tags: ReadonlyMap<string, string>
}

const LEAST_PART_BYTES = 5 * 2 ** 20

/** The content of a bucket. Without versions each key has one version, `null`. */
export class Bucket {
  readonly #isVersioned: boolean
  readonly #versions = new Map<string, Version[]>()
  readonly #uploads = new Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>()
  #sorted: readonly string[] | undefined
  #next = 1

  constructor(isVersioned: boolean) {
    this.#isVersioned = isVersioned
  }

  get isVersioned(): boolean {
    return this.#isVersioned
  }

  /** The keys whose last version is not a delete marker, in byte order. */
  get keys(): readonly string[] {
    this.#sorted ??= [...this.#versions.keys()]
      .filter((key) => this.current(key))
      .map((key) => Buffer.from(key))
      .sort(Buffer.compare)
      .map(String)
    return this.#sorted
  }

  current(key: string): Version | undefined {
    const last = this.#versions.get(key)?.at(-1)
    return last?.isMarker ? undefined : last
  }

  /** The given version, or the current one. Throws as S3 does if it does not exist. */
  find(key: string, id?: string): Version {
    const found = id === undefined ? this.current(key) : this.#versions.get(key)?.find((each) => each.id === id)
    if (found && !found.isMarker) return found
    throw id === undefined ? new S3Error(404, 'NoSuchKey') : new S3Error(404, 'NoSuchVersion')
  }

  put(
    key: string,
    content: Buffer,
    given: { readonly etag?: string; readonly modified?: Date; readonly tags?: ReadonlyMap<string, string> } = {},
  ): Version {
    const { etag = `"${md5(content).toString('hex')}"`, modified = new Date(), tags = new Map() } = given
    if (Buffer.byteLength(key) > 1024) throw new S3Error(400, 'KeyTooLongError')
    return this.#add(key, { content, etag, modified, tags, isMarker: false })
  }

  /** Removes the given version, or the current one. In a bucket with versions, the latter adds a marker. */
  remove(key: string, id?: string): Version | undefined {
    this.#sorted = undefined
    if (id === undefined && this.#isVersioned)
      return this.#add(key, {
        content: Buffer.alloc(0),
        etag: '',
        modified: new Date(),
        tags: new Map(),
        isMarker: true,
      })
    const rest = this.#versions.get(key)?.filter((each) => each.id !== (id ?? 'null')) ?? []
    if (rest.length === 0) this.#versions.delete(key)
    else this.#versions.set(key, rest)
    return undefined
  }

  beginUpload(key: string): string {
    const id = `upload-${this.#next++}`
    this.#uploads.set(id, { key, parts: new Map() })
    return id
  }

  putPart(
    uploadId: string,
    key: string,
    { number, content }: { readonly number: number; readonly content: Buffer },
  ): string {
    if (!(number >= 1 && number <= 10_000)) throw new S3Error(400, 'InvalidArgument')
    this.#upload(uploadId, key).set(number, content)
    return `"${md5(content).toString('hex')}"`
  }

  /** The ETag of a multipart upload is not a hash of the content. */
  endUpload(
    uploadId: string,
    key: string,
    listed: readonly { readonly number: number; readonly etag: string }[],
  ): Version {
    const parts = this.#upload(uploadId, key)
    if (listed.length === 0) throw new S3Error(400, 'MalformedXML')
    const contents = listed.map(({ number, etag }, at) => {
      const content = parts.get(number)
      if (!content || etag.replaceAll('"', '') !== md5(content).toString('hex')) throw new S3Error(400, 'InvalidPart')
      if (at > 0 && number <= (listed[at - 1]?.number ?? 0)) throw new S3Error(400, 'InvalidPartOrder')
      if (at < listed.length - 1 && content.length < LEAST_PART_BYTES) throw new S3Error(400, 'EntityTooSmall')
      return content
    })
    this.#uploads.delete(uploadId)
    const etag = `"${md5(Buffer.concat(contents.map(md5))).toString('hex')}-${contents.length}"`
    return this.put(key, Buffer.concat(contents), { etag })
  }

  #upload(id: string, key: string): Map<number, Buffer> {
    const upload = this.#uploads.get(id)
    if (upload?.key !== key) throw new S3Error(404, 'NoSuchUpload')
    return upload.parts
  }

  #add(key: string, version: Omit<Version, 'id'>): Version {
    this.#sorted = undefined
    const added = { ...version, id: this.#isVersioned ? `version-${this.#next++}` : 'null' }
    this.#versions.set(key, this.#isVersioned ? [...(this.#versions.get(key) ?? []), added] : [added])
    return added
  }
}

function md5(content: Buffer): Buffer {
  return createHash('md5').update(content).digest()
}
