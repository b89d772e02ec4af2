import { loadSettings } from '../config/load-settings.ts'
import type { ReadableState } from '../state/state.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import type { Terminal } from './terminal.ts'

/** Opens the runs in the state of the nearest audience.yaml for read-only work. */
export function lookAtRuns<T>({ env, cwd }: Terminal, work: (runs: ReadableState['runs']) => Promise<T>): Promise<T> {
  return withReadableState(loadSettings({ env, cwd, flags: {} }), ({ runs }) => work(runs))
}
