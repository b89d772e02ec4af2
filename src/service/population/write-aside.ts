import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { literal } from '../../platform/sql-text.ts'
import type { PeopleSession } from './database.ts'

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
  await using file = await open(aside, 'r+')
  await file.sync()
  await rename(aside, target)
  return result
}

/** Writes a relation to a file in a `format` of DuckDB's COPY. Returns the number of rows. */
export function writeRelation(
  session: PeopleSession,
  relation: string,
  { target, format = 'parquet' }: { target: string; format?: string },
): Promise<number> {
  return writeAside(target, (aside) =>
    session.run(`COPY (${relation}) TO ${literal(aside)} (FORMAT ${format}, USE_TMP_FILE false)`),
  )
}
