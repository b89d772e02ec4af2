import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Lets `write` fill a temporary file beside the target, and renames the file once it is safely on disk. A target that
 * exists is therefore complete, even after a crash. The next attempt removes a temporary file that a crash left. `write`
 * fills the file that is there, its owner's alone, and puts no other into its place.
 */
export async function writeAside<T>(target: string, write: (aside: string) => Promise<T>): Promise<T> {
  const aside = `${target}.part`
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  // A program that made it itself would let others read it.
  await rm(aside, { force: true })
  await (await open(aside, 'wx', 0o600)).close()
  const result = await write(aside).catch(async (error: unknown) => {
    await rm(aside, { force: true })
    throw error
  })
  const file = await open(aside, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(aside, target)
  return result
}
