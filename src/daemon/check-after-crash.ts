import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { quickCheck } from '../engine/embedded/check-state.ts'
import { stateDamaged } from '../engine/embedded/state-damage.ts'

/**
 * Looks through a state whose last process exited without a clean shutdown, before anybody writes there. Its log tells: who
 * closes the state last removes it. Throws `state-damaged`.
 */
export function checkAfterCrash(stateFolder: string, log: Pick<Logger, 'info'>, steadyMs: () => number): void {
  const file = join(stateFolder, 'runs.db')
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) return
  const started = steadyMs()
  const damage = quickCheck(file)
  if (damage !== undefined) throw stateDamaged(file, damage)
  const tookMs = Math.round(steadyMs() - started)
  log.info({ tookMs }, 'the last process of this state exited without a clean shutdown; the state is whole')
}
