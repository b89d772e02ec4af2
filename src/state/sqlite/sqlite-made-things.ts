import type { DatabaseSync } from 'node:sqlite'
import type { Redact } from '../../core/secrets.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import { completed, isSameEntry, type MadeThing, type MadeThings } from '../made-things.ts'
import { MADE_COLUMNS, madeOf, madeValues } from '../sql/made-row.ts'
import { UNKNOWN_SERVICE } from '../sql/unknown-service.ts'
import { adoptEntries } from './adopt-entries.ts'
import type { CommitQueue } from './commit-queue.ts'

/** What runs made at one service, in the state database. */
export function createSqliteMadeThings(state: {
  readonly db: DatabaseSync
  readonly queue: CommitQueue
  readonly redact: Redact
  readonly here: RecordedService
  /** The service that the profile names without the environment: entries of an unknown service become its entries. */
  readonly meantByProfile: string | undefined
}): MadeThings {
  const { db, queue, redact, here, meantByProfile } = state
  const place = [here.profile, here.service ?? UNKNOWN_SERVICE] as const
  const atPlace = 'FROM made WHERE profile = ? AND service = ? AND kind = ?'
  const byId = db.prepare(`SELECT ${MADE_COLUMNS} ${atPlace} AND id = ?`)
  const byName = db.prepare(`SELECT ${MADE_COLUMNS} ${atPlace} AND name = ? ORDER BY at, rowid`)
  const same = db.prepare(`SELECT ${MADE_COLUMNS} ${atPlace} AND (id = ? OR job = ? OR request = ?) ORDER BY at, rowid`)
  const remove = db.prepare(`DELETE ${atPlace} AND (id = ? OR job = ? OR request = ?)`)
  const forget = db.prepare(
    'DELETE FROM made WHERE profile = ? AND service = ? AND request = ? AND id IS NULL AND job IS NULL',
  )
  const insert = db.prepare(
    `INSERT INTO made (profile, service, ${MADE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  if (meantByProfile !== undefined) adoptEntries(db, 'made', { profile: here.profile, service: meantByProfile })

  /** What there is of the thing, and what is to be written. */
  function changeOf(thing: MadeThing) {
    const { kind, id = null, job = null, request = null } = thing
    const known = same.all(...place, kind, id, job, request).map(madeOf)
    const whole = completed(known, thing)
    const [only, ...more] = known
    return { isNeeded: more.length > 0 || !only || !isSameEntry(only, whole), whole }
  }

  return {
    async note(thing) {
      // Look first: a commit waits for the disk even if nothing was written.
      if (!changeOf(thing).isNeeded) return
      await queue.commit(() => {
        const { whole } = changeOf(thing)
        const { kind, id = null, job = null, request = null } = whole
        remove.run(...place, kind, id, job, request)
        insert.run(...place, ...madeValues(whole, redact))
      })
    },
    forget: (request) => queue.commit(() => void forget.run(...place, request)),
    async byId(kind, id) {
      const row = byId.get(...place, kind, id)
      return row && madeOf(row)
    },
    named: async (kind, name) => byName.all(...place, kind, redact(name)).map(madeOf),
  }
}
