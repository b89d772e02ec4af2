import { mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Lets `write` fill a file beside the target and renames it once it is safely on disk, so that whoever finds the
 * target finds all of it, after a crash too. A file left aside by a crash is overwritten by the repetition.
 */
export async function writeAside<T>(target: string, write: (aside: string) => Promise<T>): Promise<T> {
  const aside = `${target}.part`
  await mkdir(dirname(target), { recursive: true })
  const result = await write(aside)
  const file = await open(aside, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(aside, target)
  return result
}
