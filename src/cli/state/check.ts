import { join } from 'node:path'
import { checkState, noState, readFailure } from '../../app/state-files.ts'
import { stateName } from '../../config/settings.ts'
import { EXIT_CODES } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { jsonLine, printable } from '../../core/printable.ts'
import { pathExists } from '../../platform/is-file.ts'
import { DAMAGE_HINT } from '../../state/state-damage.ts'
import type { JsonFlag } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'

const DATABASE_HINT = 'stop the workers, and restore the newest backup: docs/many-machines.md'

/** Prints whether the state is intact; exit code 1 if it is not. */
export async function checkStateCommand({ json }: JsonFlag, terminal: Terminal): Promise<number> {
  const settings = settingsOf(terminal)
  const { state, database } = settings
  const file = database?.shown ?? join(state, 'runs.db')
  const check = database ? await databaseChecked(database.url) : checked(state, file)
  const { ok, runs = 0, records = 0, problems, warnings = [] } = check
  const lines = json
    ? [jsonLine({ state: stateName(settings), ...check })]
    : ok
      ? [
          `${file} is intact: ${count(runs, 'run')}, ${count(records, 'record')}`,
          ...warnings.map((warning) => `warning: ${warning}`),
        ]
      : [
          ...problems.map(({ message, runId }) => printable(runId === undefined ? message : `${runId}: ${message}`)),
          `${file} is damaged: ${database ? DATABASE_HINT : DAMAGE_HINT}`,
        ]
  terminal.out.write(`${lines.join('\n')}\n`)
  return ok ? 0 : EXIT_CODES.failed
}

async function databaseChecked(url: string) {
  const { checkDatabase } = await import('../../app/state-database.ts')
  return checkDatabase(url)
}

function checked(state: string, file: string) {
  try {
    if (!pathExists(file) && !pathExists(`${file}-wal`)) throw noState(state)
    return checkState(file)
  } catch (error) {
    throw readFailure(file, error)
  }
}
