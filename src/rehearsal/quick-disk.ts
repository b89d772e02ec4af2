import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 1024 * 1024 * 1024

/** A folder for files that nobody needs later. It is in memory if there is room, because syncs cost nothing there. */
export function quickDisk(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > ENOUGH_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
