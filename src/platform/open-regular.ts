import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { failedError } from '../core/errors.ts'
import { isTaken, shownPath, TAKEN_FOLDER } from '../core/shown-path.ts'
import { pathOfOpen } from './path-of-open.ts'

/** The calls that tests of watched folders interrupt. */
type Calls = Pick<typeof import('node:fs/promises'), 'lstat' | 'open'>

/**
 * Thrown if a path names something other than a file, or if something else has replaced the file. `code` is one of the
 * system's error codes.
 */
export class NotRegularError extends Error {
  override name = 'NotRegularError'
  readonly code = 'ENOTREG'
  constructor() {
    super('it is not a regular file')
  }
}

/**
 * Opens a file for reading. A link at the end of the path is not followed, and a pipe, socket or device is not opened,
 * because a pipe would block a thread forever. The descriptor decides, because another process may replace the file
 * between the check and the call that opens it. Throws NotRegularError and system errors.
 */
export async function openRegular(path: string, calls: Calls = { lstat, open }): Promise<FileHandle> {
  if (!(await calls.lstat(path)).isFile()) throw new NotRegularError()
  return openSeen(path, calls)
}

/** Opens a file in the same way, at a path where a check has just found a regular file. */
export async function openSeen(path: string, calls: Pick<Calls, 'open'>): Promise<FileHandle> {
  const file = await opened(path, calls)
  try {
    if (!(await file.stat()).isFile()) throw new NotRegularError()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

async function opened(path: string, calls: Pick<Calls, 'open'>): Promise<FileHandle> {
  try {
    return await calls.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    // It is a link, or a socket.
    const code = codeOf(error)
    throw code === 'ELOOP' || code === 'ENXIO' ? new NotRegularError() : error
  }
}

/**
 * Opens a file in the same way, at a path that a person named. Links are allowed in such a path. But neither the folder
 * for taken files nor anything below it may be a link. There is a link only if somebody who may write to the watched
 * folder has replaced the folder for taken files.
 */
export async function openNamed(path: string): Promise<FileHandle> {
  const file = await openRegular(await realpath(path))
  try {
    if (isTaken(path)) await requireTaken(file, path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

async function requireTaken(file: FileHandle, path: string): Promise<void> {
  const within = path.slice(path.lastIndexOf(`/${TAKEN_FOLDER}/`))
  const real = pathOfOpen(file.fd, path)
  const folder = await lstat(join(real.slice(0, -within.length), TAKEN_FOLDER)).catch(() => undefined)
  const isOurs = process.geteuid === undefined || folder?.uid === process.geteuid()
  if (real.endsWith(within) && folder?.isDirectory() && isOurs && (folder.mode & 0o022) === 0) return
  throw failedError(
    'file-unreadable',
    `${shownPath(path)} is not read: something else has replaced the folder ${TAKEN_FOLDER} into which it was taken`,
    'find out who can write to the watched folder and may have changed it; then put the file into the watched folder again',
  )
}
