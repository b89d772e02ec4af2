import { sqliteCode } from '../../core/code-of.ts'
import { AudienceError } from '../../core/errors.ts'
import { lockHolders } from '../../platform/lock-holders.ts'

/** SQLite's result codes for a file that another process has locked: SQLITE_BUSY and SQLITE_LOCKED. */
const LOCKED: ReadonlySet<number> = new Set([5, 6])

/** Whether an error says that another process keeps the file locked. */
export function isLocked(error: unknown): boolean {
  return LOCKED.has(sqliteCode(error) ?? 0)
}

/**
 * The error if another process keeps the state locked for longer than this process waits. It names the other process if
 * it can.
 */
export function stateLocked(file: string, cause: unknown): AudienceError {
  const holders = lockHolders([file, `${file}-shm`])
  const named = holders.map(({ pid, program }) =>
    program === undefined ? `process ${pid}` : `process ${pid} (${program})`,
  )
  const by = named.length === 0 ? 'another process' : named.join(' and ')
  const look = holders.length === 0 ? `fuser -v ${file}` : `ps -fp ${holders.map(({ pid }) => pid).join(',')}`
  return new AudienceError({
    code: 'state-locked',
    kind: 'failed',
    message: `the state in ${file} is locked by ${by}`,
    hint: `the state is intact, and nothing was changed: wait until that process is done, or end it (\`${look}\` shows it), then run this again`,
    cause,
  })
}
