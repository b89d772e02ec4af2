import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { quickCheck } from '../state/sqlite/check-state.ts'
import { readFailure } from '../state/sqlite/open-readable-state.ts'
import { checkFiles } from '../state/sqlite/open-state.ts'
import { stateDamaged } from '../state/state-damage.ts'

/** About as much as can be read in a second. */
const MOST_BYTES = 100_000_000

/**
 * Checks a state whose last process exited without a clean shutdown, before anything writes to it. The write-ahead log
 * shows such an exit, because the last process to close the state removes the log. A large state is not checked, so
 * that it does not delay the start: `audience state check` checks it. Throws `state-damaged`.
 */
export function checkAfterCrash(stateFolder: string, log: Pick<Logger, 'info' | 'warn'>, steadyMs: () => number): void {
  const file = join(stateFolder, 'runs.db')
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) return
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > MOST_BYTES) {
    log.warn(
      { bytes },
      'the last process of this state exited without a clean shutdown; the state is too large to check at startup: `audience state check` does that, even while the daemon is running',
    )
    return
  }
  const started = steadyMs()
  const damage = lookThrough(file)
  if (damage !== undefined) throw stateDamaged(file, damage)
  const tookMs = Math.round(steadyMs() - started)
  log.info({ tookMs }, 'the last process of this state exited without a clean shutdown; the state is intact')
}

/** Returns the damage. If a state cannot be read at all, the error is the same as in every command. */
function lookThrough(file: string): string | undefined {
  try {
    checkFiles(file, statSync(file, { throwIfNoEntry: false }))
    return quickCheck(file)
  } catch (error) {
    throw readFailure(file, error)
  }
}
