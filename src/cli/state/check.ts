import { statSync } from 'node:fs'
import { join } from 'node:path'
import { checkState, noState, readFailure } from '../../app/state-files.ts'
import { loadSettings } from '../../config/load-settings.ts'
import { EXIT_CODES } from '../../core/errors.ts'
import { printable } from '../../core/printable.ts'
import { DAMAGE_HINT } from '../../state/state-damage.ts'
import type { Terminal } from '../terminal.ts'
import { count } from '../views/figures.ts'

export interface CheckFlags {
  readonly json?: true
}

/** Prints whether the state is intact; exit code 1 if it is not. */
export async function checkStateCommand({ json }: CheckFlags, { env, cwd, out }: Terminal): Promise<number> {
  const { state } = loadSettings({ env, cwd, flags: {} })
  const file = join(state, 'runs.db')
  const check = checked(state, file)
  const { ok, runs = 0, records = 0, problems } = check
  const lines = json
    ? [JSON.stringify({ state, ...check })]
    : ok
      ? [`${file} is whole: ${count(runs, 'run')}, ${count(records, 'record')}`]
      : [
          ...problems.map(({ message, runId }) => printable(runId === undefined ? message : `${runId}: ${message}`)),
          `${file} is damaged: ${DAMAGE_HINT}`,
        ]
  out.write(`${lines.join('\n')}\n`)
  return ok ? 0 : EXIT_CODES.failed
}

function checked(state: string, file: string) {
  try {
    const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined
    if (!isThere(file) && !isThere(`${file}-wal`)) throw noState(state)
    return checkState(file)
  } catch (error) {
    throw readFailure(file, error)
  }
}
