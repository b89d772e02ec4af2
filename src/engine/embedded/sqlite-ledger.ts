import type { DatabaseSync } from 'node:sqlite'
import { isJsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import type { Ledger } from '../../core/ledger.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Redact } from './sqlite-journal.ts'

/** The ledger in the state database. */
export function createSqliteLedger(state: {
  readonly db: DatabaseSync
  readonly queue: CommitQueue
  readonly redact: Redact
}): Ledger {
  const { db, queue, redact } = state
  const select = db.prepare('SELECT data FROM ledger WHERE profile = ? AND pipeline = ? AND step = ?')
  const replace = db.prepare('INSERT OR REPLACE INTO ledger (profile, pipeline, step, data) VALUES (?, ?, ?, ?)')
  return {
    get({ profile, pipeline, step }) {
      const row = select.get(profile, pipeline, step)
      const entry = row && parseJson(String(row.data))
      return isJsonObject(entry) ? entry : undefined
    },
    set: ({ profile, pipeline, step }, entry) =>
      queue.commit(() => {
        replace.run(profile, pipeline, step, redact(stringifyJson(entry)))
      }),
  }
}
