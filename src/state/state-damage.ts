import { dirname } from 'node:path'
import { sqliteCode } from '../core/code-of.ts'
import { AudienceError, failedError } from '../core/errors.ts'
import { explainTrouble } from '../platform/explain-trouble.ts'

const STATE_DAMAGED = 'state-damaged'
/** The error code of a transaction that did not reach the disk. */
export const STATE_NOT_WRITTEN = 'state-not-written'

/** SQLite's result codes for a damaged file: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26])

/** Whether an error says that the file is damaged. */
export function isDamage(error: unknown): boolean {
  if (error instanceof AudienceError) return error.code === STATE_DAMAGED
  const code = sqliteCode(error)
  return code !== undefined && DAMAGE.has(code)
}

/** Whether the cause of a database error can go away, as with a lock or a full disk. */
export function isTroubleOfNow(error: unknown): boolean {
  if (error instanceof AudienceError) return error.code === STATE_NOT_WRITTEN
  return sqliteCode(error) !== undefined && !isDamage(error)
}

export const DAMAGE_HINT =
  'stop audience start, keep a copy of the folder, run `audience state check`, and restore the newest backup (docs/production.md, "Backup and restore")'

/** The state exists but is damaged. `what` is a sentence that describes the damage. */
export function stateDamaged(file: string, what: string, cause?: unknown): AudienceError {
  return new AudienceError({
    code: STATE_DAMAGED,
    kind: 'failed',
    message: `the state in ${file} is damaged: ${what}`,
    hint: DAMAGE_HINT,
    cause,
  })
}

/** The error for records that can be read but that no version can have written. */
export function recordsDamaged(what: string): AudienceError {
  return failedError(STATE_DAMAGED, what, DAMAGE_HINT)
}

/** The value of a read; undefined if its data is damaged. This way, a damaged run does not hide other runs. */
export async function unlessDamaged<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

export function stateUnreadable(file: string, cause: unknown): AudienceError {
  const { why, repair = 'read it as the user that runs audience start' } = explainTrouble(cause, dirname(file))
  return new AudienceError({
    code: 'state-unreadable',
    kind: 'failed',
    message: `the state in ${file} cannot be read: ${why}`,
    hint: `${repair}, or name another folder with AUDIENCE_STATE`,
    cause,
  })
}

/** The error code of a state whose files were removed or replaced while it was open. */
export const STATE_REPLACED = 'state-replaced'
