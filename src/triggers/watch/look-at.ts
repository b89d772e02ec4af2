import { codeOf } from '../../core/code-of.ts'
import type { Disk } from './disk.ts'

/** Undefined if there is nothing there, or no longer anything. */
export async function lookAt(disk: Pick<Disk, 'lstat'>, path: string) {
  try {
    return await disk.lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
