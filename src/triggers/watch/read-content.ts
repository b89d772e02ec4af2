import { createHash } from 'node:crypto'
import { RowCheck } from '../../contract/row-check.ts'
import { codeOf } from '../../core/code-of.ts'
import { count, grouped } from '../../core/format/figures.ts'
import type { WatchTrigger } from '../../core/trigger.ts'
import { NotRegularError, openSeen } from '../../platform/open-regular.ts'
import { readChunks } from '../../platform/read-chunks.ts'
import type { Content } from './content.ts'
import { isSame } from './decide-settled.ts'
import type { Disk } from './disk.ts'
import type { Look } from './find-files.ts'
import { lookAt } from './look-at.ts'
import type { TakenFile } from './taken-files.ts'

/** Reads a taken file once: returns its facts, and whether a run could use it. */
export async function readContent(
  disk: Disk,
  file: TakenFile,
  rule: WatchTrigger['precheck'],
  signal: AbortSignal,
): Promise<Content> {
  const stats = await lookAt(disk, file.path)
  if (!stats) return { state: 'gone' }
  const about = { size: stats.size, mtimeMs: stats.mtimeMs }
  // Somebody replaced the file with something else just before it was taken.
  if (!stats.isFile()) return { state: 'unfit', about, reason: new NotRegularError().message }
  if (file.seen && !isSame(file.seen, stats)) return { state: 'changed' }
  if (stats.size === 0) return { state: 'unfit', about, reason: 'it is empty' }
  if (stats.size > rule.maxBytes) {
    return {
      state: 'unfit',
      about,
      reason: `it has ${count(stats.size, 'byte')}; at most ${grouped(rule.maxBytes)} are allowed`,
    }
  }
  const read = await readThrough(disk, { path: file.path, seen: stats }, rule, signal)
  if (typeof read === 'string') return { state: 'unfit', about, reason: read }
  if (!read.stayed) return { state: 'changed' }
  const known = { ...about, sha256: read.sha256 }
  return read.problem === undefined
    ? { state: 'fit', about: known }
    : { state: 'unfit', about: known, reason: read.problem }
}

/** Returns a sentence if the file cannot be opened. */
async function readThrough(
  disk: Disk,
  { path, seen }: { path: string; seen: Look },
  rule: WatchTrigger['precheck'],
  signal: AbortSignal,
) {
  const handle = await openFile(disk, path)
  if (typeof handle === 'string') return handle
  try {
    const hash = createHash('sha256')
    const rows = new RowCheck(rule)
    let length = 0
    for await (const chunk of readChunks(handle, signal)) {
      length += chunk.length
      hash.update(chunk)
      rows.add(chunk)
      // A file that is now longer has changed, and is read again.
      if (length >= seen.size) break
    }
    const stayed = length === seen.size && isSame(seen, await handle.stat())
    return { stayed, sha256: hash.digest('hex'), problem: rows.end() }
  } finally {
    await handle.close()
  }
}

async function openFile(disk: Disk, path: string) {
  try {
    return await openSeen(path, disk)
  } catch (error) {
    const code = codeOf(error)
    if (error instanceof NotRegularError) return error.message
    if (code === 'EACCES' || code === 'EPERM') return 'this process may not read it'
    throw error
  }
}
