import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { quickCheck } from '../engine/embedded/check-state.ts'
import { stateDamaged } from '../engine/embedded/state-damage.ts'

/** As much as is read in about a second. */
const MOST_BYTES = 100_000_000

/**
 * Looks through a state whose last process exited without a clean shutdown, before anybody writes there. Its log tells: who
 * closes the state last removes it. A large state does not delay the start: it is left to `audience state check`. Throws
 * `state-damaged`.
 */
export function checkAfterCrash(stateFolder: string, log: Pick<Logger, 'info' | 'warn'>, steadyMs: () => number): void {
  const file = join(stateFolder, 'runs.db')
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) return
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > MOST_BYTES) {
    log.warn(
      { bytes },
      'the last process of this state exited without a clean shutdown; it is too large to look through at a start: `audience state check` does that, also while the daemon works',
    )
    return
  }
  const started = steadyMs()
  const damage = quickCheck(file)
  if (damage !== undefined) throw stateDamaged(file, damage)
  const tookMs = Math.round(steadyMs() - started)
  log.info({ tookMs }, 'the last process of this state exited without a clean shutdown; the state is whole')
}
