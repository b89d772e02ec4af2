import { migrateState } from '../../app/state-database.ts'
import { type AudienceError, invalidError } from '../../core/errors.ts'
import { markShared } from '../../platform/shared-folder.ts'
import type { JsonFlag } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'

/** Creates the tables of a state in PostgreSQL, or brings them up to date. */
export async function migrateStateCommand({ json }: JsonFlag, terminal: Terminal): Promise<number> {
  const { state, shared, database } = settingsOf(terminal)
  if (!database) throw isFolder(state)
  const { from, to } = await migrateState(database.url)
  // The command that creates the tables also marks the shared folder of the state. Other machines must see the same
  // folder.
  if (from === 0) markShared(shared)
  const text =
    from === to
      ? `${database.shown} is up to date (version ${to})`
      : from === 0
        ? `created the tables in ${database.shown} (version ${to}); next: audience start, on as many machines as you like`
        : `brought ${database.shown} from version ${from} to ${to}`
  terminal.out.write(json ? `${JSON.stringify({ state: database.shown, from, to })}\n` : `${text}\n`)
  return 0
}

function isFolder(state: string): AudienceError {
  return invalidError(
    'state-is-folder',
    `the state is the folder ${state}, but migrate works only on a state in PostgreSQL`,
    'a folder is brought up to date by the first command that works on runs; for a state in PostgreSQL, set AUDIENCE_STATE=postgres://…',
  )
}
