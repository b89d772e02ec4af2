import type { FileHandle } from 'node:fs/promises'
import { openNamed } from '../platform/open-regular.ts'
import { pathOfOpen } from '../platform/path-of-open.ts'

/**
 * Opens a file for reading, or throws if `check` does. The open file is what is checked: by the time it is read, its path
 * may lead elsewhere.
 */
export async function openAllowed(path: string, check: (path: string) => void): Promise<FileHandle> {
  // Before it is opened, too: what is forbidden is not touched.
  check(path)
  const file = await openNamed(path)
  try {
    check(pathOfOpen(file.fd, path))
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
