import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type AudienceError, invalidError } from '../../core/errors.ts'
import { markShared } from '../../platform/shared-folder.ts'
import type { Terminal } from '../terminal.ts'

/** Marks folders that all machines see under the same path: all of them or, if one is missing, none. */
export function shareFolders(folders: readonly string[], _flags: object, { cwd, out }: Terminal): number {
  const paths = folders.map((each) => resolve(cwd, each))
  for (const path of paths) if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw noFolder(path)
  for (const path of paths) {
    markShared(path)
    out.write(`marked ${path}: every machine must see this folder under this path\n`)
  }
  return 0
}

function noFolder(path: string): AudienceError {
  return invalidError(
    'no-such-folder',
    `there is no folder ${path}; nothing was marked`,
    'mount it first, or correct the path; do not mark a folder that only this machine has',
  )
}
