import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AudienceError, failedError, invalidError } from '../core/errors.ts'
import { count, formatBytes } from '../core/format/figures.ts'
import { namePattern } from '../core/name-pattern.ts'
import { createLimit } from '../core/one-at-a-time.ts'
import { remoteError } from '../core/remote-error.ts'
import { splitRemotePath, whyNoRemotePattern } from '../core/remote-path.ts'
import { hintOf, MAX_REMOTE_BYTES, type RemoteFile, type RemoteSource } from '../core/remote-source.ts'
import { sourcePath } from '../core/trigger.ts'
import { roomFor } from './disk-room.ts'
import { diskFull } from './list-errors.ts'
import type { ListedFile } from './list-input.ts'

/** How many files are copied at the same time. */
const COPIED_AT_ONCE = 4

/** The files of a source that match a path, such as `crm/*.parquet`, in order of their names. Reads no content. */
export async function listRemoteFiles(
  source: RemoteSource,
  path: string,
  signal: AbortSignal,
): Promise<readonly RemoteFile[]> {
  const why = whyNoRemotePattern(path)
  if (why !== undefined) throw noPath(path, why)
  const { folder, name } = splitRemotePath(path)
  const { files } = await source.list(folder, namePattern(name), { signal })
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * Copies files to a folder. Throws `source-file-changed` if a file no longer matches the listing when its copy is
 * complete, so that a list is never made from two versions of a file. `source` is the name of the source that people
 * see.
 */
export async function copyRemoteFiles(
  { at, source }: { at: RemoteSource; source: string },
  files: readonly RemoteFile[],
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<readonly ListedFile[]> {
  const large = files.find(({ size }) => size > MAX_REMOTE_BYTES)
  if (large) throw tooLarge(sourcePath({ source, path: large.path }), large.size)
  const left = await roomFor(folder)
  if (files.reduce((sum, { size }) => sum + size, 0) > left) throw diskFull()
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const limit = createLimit(COPIED_AT_ONCE)
  const copies = files.map((file, index) =>
    limit(async () => {
      // The remote name is only for people; we choose the name of the copy.
      const path = join(folder, `remote-${index}`)
      await copyOne(at, file, { path, signal: either })
      return { given: sourcePath({ source, path: file.path }), path }
    }).catch((error: unknown) => {
      failed.abort(error)
      throw error
    }),
  )
  // Nobody removes the folder while another copy is still writing to it.
  await Promise.allSettled(copies)
  signal.throwIfAborted()
  if (failed.signal.aborted) throw failed.signal.reason
  return Promise.all(copies)
}

async function copyOne(
  at: RemoteSource,
  file: RemoteFile,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted()
  await writeFile(path, at.read(file, { signal }), { flag: 'wx', mode: 0o600 })
  const now = await at.look(file.path, { signal })
  if (now && hintOf(now) === hintOf(file)) return
  throw remoteError('source-file-changed', {
    message: `${file.path} changed while it was copied`,
    hint: 'run again once nobody writes to it; a trigger that watches the source waits for that',
  })
}

function noPath(path: string, why: string): AudienceError {
  return invalidError(
    'wrong-value',
    `${JSON.stringify(path)} is not a path of a source: ${why}`,
    'such as path: "crm/{date}/*.parquet"',
  )
}

function tooLarge(path: string, size: number): AudienceError {
  return failedError(
    'source-too-large',
    `${path} has ${count(size, 'byte')}; at most ${formatBytes(MAX_REMOTE_BYTES)} are allowed`,
    'split it into several files',
  )
}
