import { resolve } from 'node:path'
import { backupState } from '../state/sqlite/backup-state.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'
import { count, formatBytes } from './views/figures.ts'

/** Copies the state to a file and reports its size. */
export async function backUp(file: string, terminal: Terminal): Promise<number> {
  const { cwd, out } = terminal
  const { state } = settingsOf(terminal)
  const target = resolve(cwd, file)
  const { runs, bytes } = await backupState(state, target)
  out.write(`copied ${count(runs, 'run')} (${formatBytes(bytes)}) to ${target}\n`)
  return 0
}
