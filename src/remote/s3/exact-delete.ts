import { remoteError } from '../../core/remote-error.ts'
import { joinRemotePath, splitRemotePath } from '../../core/remote-path.ts'
import type { RemoteFile } from '../../core/remote-source.ts'
import type { S3Connection } from './s3-connection.ts'
import { bucketPlace } from './s3-failure.ts'

/** A name that nobody gives to a file. */
const NOBODY = '.audience-no-such-file'

/** The condition that makes a delete remove one version and no other. */
export type Exactly = { readonly IfMatch: string } | { readonly VersionId: string }

/** An object as a check found it. */
export interface Looked {
  readonly file: RemoteFile
  /** Only in a bucket with versions. */
  readonly versionId?: string
}

/**
 * Deletes exactly one version. Some stores accept the condition of a delete and ignore it. They are detected by a
 * delete of something that does not exist, which they report as a success. With such stores, only buckets with versions
 * are safe.
 */
export class ExactDelete {
  readonly #connection: S3Connection
  #honoursConditions: boolean | undefined

  constructor(connection: S3Connection) {
    this.#connection = connection
  }

  /** How to delete this version. Throws `source-read-only` if no way is safe, before anything has changed. */
  async plan({ file, versionId }: Looked, signal: AbortSignal): Promise<Exactly> {
    this.#honoursConditions ??= await this.#ask(splitRemotePath(file.path).folder, signal)
    if (this.#honoursConditions) return { IfMatch: file.version ?? '' }
    // `null` is the version of everything that was written while versioning was suspended.
    if (versionId !== undefined && versionId !== 'null') return { VersionId: versionId }
    throw remoteError('source-read-only', {
      message: `${bucketPlace(this.#connection.config)} deletes a file even if it has changed, so no file is moved or removed`,
      hint: 'write done: keep, or done: { tag: … }; or enable versioning on the bucket',
    })
  }

  /** `missing` if the object is gone, `changed` if there is another version. In both cases, nothing has changed. */
  async run(path: string, exactly: Exactly, signal: AbortSignal): Promise<'deleted' | 'missing' | 'changed'> {
    const answer = await this.#connection.send(
      ({ DeleteObjectCommand }, Bucket) => new DeleteObjectCommand({ Bucket, Key: path, ...exactly }),
      { signal, what: `${path} cannot be removed`, act: 'write' },
    )
    return answer === 'missing' || answer === 'changed' ? answer : 'deleted'
  }

  async #ask(folder: string, signal: AbortSignal): Promise<boolean> {
    const Key = joinRemotePath(folder, NOBODY)
    const what = `files of ${folder || 'the bucket'} cannot be removed`
    const answer = await this.#connection.send(
      ({ DeleteObjectCommand }, Bucket) => new DeleteObjectCommand({ Bucket, Key, IfMatch: '"0"' }),
      { signal, what, act: 'write' },
    )
    if (answer === 'missing' || answer === 'changed') return true
    const { DeleteMarker, VersionId } = answer
    // The store recorded a delete marker for an object that never existed. The marker is removed, too.
    if (DeleteMarker === true && VersionId !== undefined) await this.run(Key, { VersionId }, signal)
    return false
  }
}
