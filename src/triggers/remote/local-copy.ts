import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RowCheck } from '../../contract/row-check.ts'
import { formatBytes } from '../../core/format/figures.ts'
import { splitRemotePath } from '../../core/remote-path.ts'
import type { RemoteFile, RemoteSource } from '../../core/remote-source.ts'
import { TAKEN_FOLDER } from '../../core/shown-path.ts'
import type { RemoteTrigger } from '../../core/trigger.ts'
import { syncToDisk } from '../../platform/sync-to-disk.ts'

/** This much of the disk stays free for the state. */
const RESERVED_BYTES = 500_000_000
/** The name of a copy that is not complete. No remote file has a name that begins with a dot. */
const PART = '.part'

/** The path of the copy of a file. The source has checked the name. */
export function copyPath(copies: string, ticket: string, path: string): string {
  return join(copies, TAKEN_FOLDER, ticket, splitRemotePath(path).name)
}

/**
 * Reads a file once, into a copy that is on the disk when this resolves. Returns its SHA-256, and why no run can use
 * it. Throws what the source throws, and an error if the disk has too little free space.
 */
export async function makeCopy(
  source: RemoteSource,
  file: RemoteFile,
  { path, rule, signal }: { path: string; rule: RemoteTrigger['precheck']; signal: AbortSignal },
): Promise<{ readonly sha256: string; readonly problem: string | undefined }> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await requireRoom(folder, file)
  const part = join(folder, PART)
  await rm(part, { force: true })
  const hash = createHash('sha256')
  const rows = new RowCheck(rule)
  const handle = await open(part, 'wx', 0o600)
  try {
    for await (const piece of source.read(file, { signal })) {
      hash.update(piece)
      rows.add(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
      await handle.writeFile(piece)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(part, path)
  syncToDisk(folder)
  return { sha256: hash.digest('hex'), problem: rows.end() }
}

/** Removes the copy of a file, complete or not. */
export async function removeCopy(copies: string, ticket: string): Promise<void> {
  await rm(join(copies, TAKEN_FOLDER, ticket), { recursive: true, force: true })
}

async function requireRoom(folder: string, { path, size }: RemoteFile): Promise<void> {
  const { blocks, bavail, bsize } = await statfs(folder)
  // Some network file systems do not report their size.
  if (blocks === 0 || bavail * bsize >= size + RESERVED_BYTES) return
  throw new Error(
    `there is no room for ${path}: it has ${formatBytes(size)}, but only ${formatBytes(bavail * bsize)} are free in ${folder}`,
  )
}
