import type { Disk } from './disk.ts'
import { lookAt } from './look-at.ts'

/** Removes a marker or a note. Anything else in its place stays. */
export async function removeIfFile(disk: Pick<Disk, 'rm' | 'lstat'>, path: string): Promise<void> {
  const isFile = async () => (await lookAt(disk, path))?.isFile() === true
  if (!(await isFile())) return
  try {
    await disk.rm(path, { force: true })
  } catch (error) {
    // It is a folder by now.
    if (await isFile()) throw error
  }
}
