import type { FileHandle } from 'node:fs/promises'
import { openNamed } from '../platform/open-regular.ts'
import { pathOfOpen } from '../platform/path-of-open.ts'

/**
 * Opens a file for reading, or throws if `check` does. Checks the open file, because its path may lead elsewhere by the
 * time it is read.
 */
export async function openAllowed(path: string, check: (path: string) => void): Promise<FileHandle> {
  // Also checks before opening, so that a forbidden file is not touched.
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
