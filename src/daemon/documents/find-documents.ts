import { globSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AudienceError, usageError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'

/**
 * The documents that the given paths select: a file itself, all YAML files below a folder, and the matches of a glob.
 * They are sorted, without duplicates.
 */
export function findDocuments(paths: readonly string[], cwd: string): string[] {
  const files = new Set<string>()
  for (const path of paths) {
    const found = documentsOf(path, cwd)
    if (found.length === 0) {
      const hint = 'name a YAML file, a folder of them, or a glob in quotes'
      throw usageError('no-documents', `there is no pipeline at ${path}`, hint)
    }
    for (const file of found) files.add(file)
  }
  return [...files].sort()
}

function documentsOf(path: string, cwd: string): string[] {
  const file = join(path.startsWith('/') ? '' : cwd, path)
  const stats = reading(path, () => statSync(file, { throwIfNoEntry: false }))
  if (stats?.isDirectory()) {
    // A glob leaves out folders that it cannot read, so their documents would not be checked. This line throws an error
    // for such a folder.
    reading(path, () => readdirSync(file, { recursive: true }))
    return globSync(join(path, '**/*.{yaml,yml}'), { cwd })
  }
  return stats ? [path] : globSync(path, { cwd })
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new AudienceError({
      code: 'document-unreadable',
      kind: 'usage',
      message: `${path} cannot be read: ${messageOf(error)}`,
      hint: 'check the path, and whether this user may read the folders above it',
      cause: error,
    })
  }
}
