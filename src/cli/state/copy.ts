import { resolve } from 'node:path'
import { copyState } from '../../app/state-database.ts'
import { isStateUrl, passwordIn, readDatabaseUrl } from '../../config/database-url.ts'
import { type AudienceError, interruptedError, usageError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import type { JsonFlag } from '../options.ts'
import { onFirstInterrupt, type Terminal } from '../terminal.ts'
import { copyProgress } from '../views/copy-progress.ts'
import { lockIdleState } from './lock-idle-state.ts'

/** Copies a state folder to an empty database. Holds the daemon's lock, so that no daemon starts in the meantime. */
export async function copyStateCommand(
  from: string,
  to: string,
  { json }: JsonFlag,
  terminal: Terminal,
): Promise<number> {
  const { cwd, out, err, surroundings } = terminal
  const folder = resolve(cwd, from)
  const { url, shown } = target(to, cwd)
  const hint = 'stop audience start, copy, and start it with the database'
  const lock = lockIdleState(folder, { is: 'copied', hint })
  const isTTY = err.isTTY && !json
  const progress = copyProgress({ isTTY, write: (text) => err.write(text) }, surroundings.clock.steady)
  const interrupting = new AbortController()
  const unlisten = onFirstInterrupt(terminal, () => interrupting.abort(interrupted(shown)))
  try {
    const { signal } = interrupting
    const copied = await copyState({ from: folder, to: url, onProgress: progress.show, signal }).finally(progress.end)
    const runs = copied.find(({ table }) => table === 'runs')?.rows ?? 0
    const rows = copied.reduce((total, table) => total + table.rows, 0)
    if (json) {
      const tables = Object.fromEntries(copied.map((table) => [table.table, table.rows]))
      out.write(`${JSON.stringify({ from: folder, to: shown, runs, rows, tables })}\n`)
      return 0
    }
    out.write(`copied ${count(runs, 'run')} (${count(rows, 'row')} in all) to ${shown}\n`)
    out.write(
      `from now on, use only the database: name it with \`state\` or AUDIENCE_STATE, and keep ${folder} as a backup\n`,
    )
    return 0
  } finally {
    unlisten()
    lock.release()
  }
}

function target(text: string, cwd: string) {
  const refused = (message: string, hint: string) => usageError('wrong-state-url', message, hint)
  if (!isStateUrl(text))
    throw refused(
      'TO must be the URL of a database',
      'give the folder first: audience state copy .audience postgres://…',
    )
  // Everybody on this machine can read the command line of a process.
  if (passwordIn(text) !== undefined)
    throw refused('a password does not belong on a command line', 'give it in PGPASSWORD or in the file of PGPASSFILE')
  const database = readDatabaseUrl(text, cwd)
  if ('message' in database) throw refused(database.message, database.hint)
  return database
}

function interrupted(target: string): AudienceError {
  return interruptedError(
    `the copy was interrupted, and nothing was copied to ${target}`,
    'give the same command again to copy all of it',
  )
}
