import type { ReadableState } from '../state/state.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'

/** Opens the runs in the state of the nearest audience.yaml for read-only access. */
export function lookAtRuns<T>(terminal: Terminal, work: (runs: ReadableState['runs']) => Promise<T>): Promise<T> {
  return withReadableState(settingsOf(terminal), terminal.surroundings, ({ runs }) => work(runs))
}
