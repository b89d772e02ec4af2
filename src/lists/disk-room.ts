import { statfs } from 'node:fs/promises'
import { diskFull } from './list-errors.ts'

/** This much of a disk stays free for the state itself: a twentieth, but no more than 1 GB. */
const RESERVED_SHARE = 0.05
const MOST_RESERVED = 1e9
/** A disk can fill by about a gigabyte in this time, but not by much more. */
const LOOK_MS = 250

/** Reports the size and the free space of a file system. */
type Statfs = (folder: string) => Promise<{ readonly blocks: number; readonly bavail: number; readonly bsize: number }>

/** How many bytes lists may still write to the disk of a folder. Throws `list-disk-full` if there is no room. */
export async function roomFor(folder: string, look: Statfs = statfs): Promise<number> {
  const { blocks, bavail, bsize } = await look(folder)
  // Some network file systems do not report their size.
  if (blocks === 0) return Number.MAX_SAFE_INTEGER
  const left = bavail * bsize
  const reserve = Math.min(MOST_RESERVED, blocks * bsize * RESERVED_SHARE)
  if (left <= reserve) throw diskFull({ left, reserve })
  return Math.floor(left - reserve)
}

/** Runs work that writes to the disk of a folder; stops it when no room is left. */
export async function whileRoom<T>(
  folder: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  look: Statfs = statfs,
): Promise<T> {
  await roomFor(folder, look)
  const full = new AbortController()
  const stop = (error: unknown) => full.abort(error)
  const looking = setInterval(() => void roomFor(folder, look).catch(stop), LOOK_MS)
  try {
    return await work(AbortSignal.any([signal, full.signal]))
  } catch (error) {
    throw full.signal.aborted && !signal.aborted ? full.signal.reason : error
  } finally {
    clearInterval(looking)
  }
}
