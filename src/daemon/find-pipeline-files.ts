import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Folders that are nested deeper than this are taken for a mistake. */
const MAX_DEPTH = 20

/** What there is below a folder. */
interface FoundFiles {
  /** Absolute paths of files and links that are named like documents, sorted. */
  readonly files: readonly string[]
  /** Folders whose content is not known, with the reason. */
  readonly unread: ReadonlyMap<string, string>
}

/** Finds what may be pipeline documents below a folder. Folders behind links are not looked into. */
export async function findPipelineFiles(folder: string): Promise<FoundFiles> {
  const files: string[] = []
  const unread = new Map<string, string>()
  async function walk(path: string, depth: number): Promise<void> {
    const entries = await entriesOf(path)
    if (typeof entries === 'string') {
      unread.set(path, entries)
      return
    }
    for (const entry of entries) {
      const child = join(path, entry.name)
      if (isHidden(entry.name)) continue
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH) await walk(child, depth + 1)
        else unread.set(child, `it is nested deeper than ${MAX_DEPTH} folders`)
      } else if (isDocumentName(entry.name) && (entry.isFile() || entry.isSymbolicLink())) files.push(child)
    }
  }
  await walk(folder, 0)
  return { files: files.sort(), unread }
}

export function isDocumentName(path: string): boolean {
  return /\.ya?ml$/.test(path)
}

/** What git, editors and package managers keep is no pipeline. */
export function isHidden(path: string): boolean {
  const name = basename(path)
  return name.startsWith('.') || name === 'node_modules'
}

async function entriesOf(path: string): Promise<readonly Dirent[] | string> {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
