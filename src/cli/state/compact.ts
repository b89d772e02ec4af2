import { join } from 'node:path'
import { compactState } from '../../app/state-files.ts'
import { type AudienceError, invalidError } from '../../core/errors.ts'
import { formatBytes } from '../../core/format/figures.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { lockIdleState } from './lock-idle-state.ts'

/**
 * Returns the free space of the state to the disk. Holds the daemon's lock, so that no daemon starts in the meantime.
 */
export async function compactStateCommand(_flags: object, terminal: Terminal): Promise<number> {
  const { state, database } = settingsOf(terminal)
  if (database) throw vacuumed(database.shown)
  const hint = 'stop audience start, compact, and start it again; free space in the file is used for new runs anyway'
  const lock = lockIdleState(state, { is: 'compacted', hint })
  try {
    const file = join(state, 'runs.db')
    const { before, after } = await compactState(state, file, terminal.surroundings)
    terminal.out.write(`${file} was ${formatBytes(before.bytes)}, and is now ${formatBytes(after.bytes)}\n`)
    return 0
  } finally {
    lock.release()
  }
}

function vacuumed(database: string): AudienceError {
  return invalidError(
    'state-is-database',
    `the state is ${database}, but compact works only on a folder`,
    'PostgreSQL reuses the space of removed runs automatically (autovacuum)',
  )
}
