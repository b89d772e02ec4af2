import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Lets `write` fill a temporary file beside the target, and renames the file once it is safely on disk. So a target
 * that exists is complete, even after a crash. If a crash leaves a temporary file, the next attempt removes it. `write`
 * must fill the existing file, which only its owner may read, and must not replace it.
 */
export async function writeAside<T>(target: string, write: (aside: string) => Promise<T>): Promise<T> {
  const aside = `${target}.part`
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  // If `write` made the file itself, others could read it.
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
