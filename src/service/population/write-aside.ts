import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Lets `write` fill a file beside the target and renames it once it is safely on disk, so that whoever finds the
 * target finds all of it, after a crash too. What a crash leaves aside is overwritten by the repetition.
 */
export async function writeAside<T>(target: string, write: (aside: string) => Promise<T>): Promise<T> {
  const aside = `${target}.part`
  await mkdir(dirname(target), { recursive: true })
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
