import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { codeOf } from '../../core/code-of.ts'
import { numberOf } from '../../platform/folder-identity.ts'
import type { Disk } from './disk.ts'
import { openFolder, wayInto } from './open-folder.ts'

/** An open folder for files whose runs have ended: `done` or `failed`. */
export interface TargetFolder {
  readonly file: FileHandle
  /** The path to work with. */
  readonly way: string
  /** Its path without links. */
  readonly real: string
  /** By `numberOf`. */
  readonly number: string
}

/** Only as a place for paths: a folder that may be written but not read can be opened, too. Node has no name for it. */
const O_PATH = process.platform === 'linux' ? 0o10000000 : 0
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH

/** Opens a folder by a path without links; makes it if it is missing. */
export async function targetFolder(disk: Disk, real: string): Promise<TargetFolder> {
  const opened = () =>
    openFolder(disk, real, FLAGS, async (file) => {
      return { file, real, way: wayInto(file, real), number: numberOf(await file.stat()) }
    })
  try {
    return await opened()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await disk.mkdir(real, { recursive: true })
  return opened()
}
