import type { DatabaseSync } from 'node:sqlite'
import { AudienceError, failedError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import type { StateAround } from '../state.ts'
import { isDamage, stateDamaged } from '../state-damage.ts'
import { createCommitQueue } from './commit-queue.ts'
import { createRunPacking } from './ended-runs.ts'
import { whileReading } from './open-for-reading.ts'
import { openState } from './open-state.ts'
import { createOwner } from './owners.ts'

const PACK_MS = 1000

export interface StateSpace {
  /** The size of the database without its log. */
  readonly bytes: number
  /** The size of the unused part of the database. */
  readonly freeBytes: number
}

/**
 * Packs the ended runs and rewrites the database of a state folder without its free space. No other process can write
 * in the meantime, so this throws `state-in-use` if a process is working on runs. A crash loses nothing.
 */
export async function compactState(
  folder: string,
  file: string,
  around: StateAround,
): Promise<{ before: StateSpace; after: StateSpace }> {
  using db = openState(folder)
  // The count includes this process.
  if (createOwner(db, around).living().size > 1) throw inUse(folder)
  const before = spaceOf(file)
  const pack = createRunPacking({ db, queue: createCommitQueue(db), steadyMs: around.clock.steady })
  while (await pack(PACK_MS)) {
    // Packs the next batch.
  }
  vacuum(db, file)
  return { before, after: spaceOf(file) }
}

/** Measures the database of a state. */
export function spaceOf(file: string): StateSpace {
  return whileReading(file, (db) => {
    const pragma = (name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
    const pageBytes = pragma('page_size')
    return { bytes: pragma('page_count') * pageBytes, freeBytes: pragma('freelist_count') * pageBytes }
  })
}

function vacuum(db: DatabaseSync, file: string): void {
  try {
    db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (isDamage(error)) throw stateDamaged(file, messageOf(error), error)
    throw new AudienceError({
      code: 'state-not-compacted',
      kind: 'failed',
      message: `${file} cannot be rewritten: ${messageOf(error)}`,
      hint: 'nothing was lost; compacting needs as much free disk space as the file, and no other process may write',
      cause: error,
    })
  }
}

function inUse(folder: string): AudienceError {
  return failedError(
    'state-in-use',
    `a process is working on runs of the state in ${folder}`,
    '`audience status` and `audience runs list --status running` show which; try again when it has ended',
  )
}
