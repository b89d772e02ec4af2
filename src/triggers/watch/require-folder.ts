import type { Disk } from './disk.ts'
import { fileKind } from './kind-of.ts'
import { lookAt } from './look-at.ts'

/** Throws if something else is where a folder must be. `real` is its path without links. */
export async function requireFolderAt(disk: Pick<Disk, 'lstat'>, path: string, real: string): Promise<void> {
  const found = await lookAt(disk, real)
  if (found && !found.isDirectory())
    throw new Error(
      `${path} is ${fileKind(found)}, but a folder of that name is needed: remove it, or name another folder`,
    )
}
