import { usageError } from '../core/errors.ts'
import type { Actor } from '../core/run.ts'
import type { AuditLog } from '../state/audit-log.ts'

interface Ending {
  /**
   * Ends the caller's session or, with `everywhere`, all sessions of that person; undefined if the caller has no
   * session.
   */
  readonly end: (() => void) | undefined
  readonly everywhere: boolean
}

/**
 * Signs out a browser, or a person in all browsers. Without a session there is nothing to do, but `everywhere` then
 * throws `no-session`.
 */
export async function endSession(
  { end, everywhere }: Ending,
  actor: Actor & { by: string },
  audit: Pick<AuditLog, 'add'>,
): Promise<void> {
  if (end) {
    end()
    const detail = everywhere ? 'everywhere' : undefined
    await audit.add({ ...actor, act: 'console.logout', subject: 'console', detail, outcome: 'done' })
  } else if (everywhere) {
    const message = `${actor.by} has no session here, so there is nothing to end`
    throw usageError('no-session', message, 'only a browser that opened a login link has a session')
  }
}
