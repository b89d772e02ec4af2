import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { count } from '../../core/format/figures.ts'
import { messageOf } from '../../core/message-of.ts'

/** Folders nested deeper than this are considered a mistake. */
const MAX_DEPTH = 20

/** Finds the files below a folder that may be pipeline documents. It does not follow links to folders. */
export async function findPipelineFiles(folder: string) {
  /** The absolute paths of all entries with a document's name, sorted at the end. */
  const files: string[] = []
  /** Folders that could not be read, with the reason. */
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
      // An entry is listed whatever its kind, because its reader reports that it is not a file.
      if (isDocumentName(entry.name)) files.push(child)
      if (!entry.isDirectory()) continue
      if (depth < MAX_DEPTH) await walk(child, depth + 1)
      else unread.set(child, `it is nested deeper than ${count(MAX_DEPTH, 'folder')}`)
    }
  }
  await walk(folder, 0)
  return { files: files.sort(), unread }
}

export function isDocumentName(path: string): boolean {
  return /\.ya?ml$/.test(path) && !isTestName(path)
}

/** Tests of pipelines are beside them, but are not pipelines. */
export function isTestName(path: string): boolean {
  return /\.test\.ya?ml$/.test(path)
}

/** The files of git, editors and package managers are not pipelines. */
export function isHidden(path: string): boolean {
  const name = basename(path)
  return name.startsWith('.') || name === 'node_modules'
}

async function entriesOf(path: string): Promise<readonly Dirent[] | string> {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (error) {
    return messageOf(error)
  }
}
