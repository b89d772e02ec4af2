import { randomUUID } from 'node:crypto'
import { copyFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { syncToDisk } from '../platform/sync-to-disk.ts'
import { keyFile } from './fingerprint-key.ts'
import { listFilesOf, runFolder, runsWithLists } from './kept-lists.ts'

/**
 * Copies the fingerprints of a state and their key to a new folder, which only its owner may enter. Returns how many
 * lists were copied. Lists that are removed in the meantime are left out. The folder appears when it is complete.
 */
export async function copyFingerprints(folder: string, target: string): Promise<number> {
  const aside = `${target}.${randomUUID()}.partial`
  try {
    makeFolder(aside)
    await copyIfThere(keyFile(folder), keyFile(aside))
    let lists = 0
    for (const runId of runsWithLists(folder)) {
      makeFolder(runFolder(aside, runId))
      for (const file of listFilesOf(folder, runId))
        lists += await copyIfThere(file, join(runFolder(aside, runId), basename(file)))
    }
    await rename(aside, target)
    syncToDisk(dirname(target))
    return lists
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    throw error
  }
}

/** Returns how many files were copied. */
async function copyIfThere(file: string, copy: string): Promise<0 | 1> {
  try {
    await copyFile(file, copy)
    syncToDisk(copy)
    return 1
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}
