import { resolve } from 'node:path'
import { markShared } from '../../platform/shared-folder.ts'
import type { Terminal } from '../terminal.ts'

/** Marks folders that all machines see under the same path. */
export function shareFolders(folders: readonly string[], { cwd, out }: Terminal): number {
  for (const folder of folders.map((each) => resolve(cwd, each))) {
    markShared(folder)
    out.write(`marked ${folder}: every machine must see this folder under this path\n`)
  }
  return 0
}
