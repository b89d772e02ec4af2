import type { Redact } from '../../core/secrets.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import { completed, isSameEntry, type MadeThing, type MadeThings } from '../made-things.ts'
import { MADE_COLUMNS, madeOf, madeValues } from '../sql/made-row.ts'
import { UNKNOWN_SERVICE } from '../sql/unknown-service.ts'
import type { Database, Query } from './database.ts'

const AT_PLACE = 'FROM audience.made WHERE profile = $1 AND service = $2 AND kind = $3'

const SAME = '(id = $4 OR job = $5 OR request = $6)'

/** What runs made at one service, in the database. */
export function createMadeThings(
  db: Database,
  { redact, here }: { readonly redact: Redact; readonly here: RecordedService },
): MadeThings {
  const place = [here.profile, here.service ?? UNKNOWN_SERVICE] as const

  /** What there is of the thing, and what is to be written. */
  async function changeOf(query: Query, thing: MadeThing) {
    const { kind, id = null, job = null, request = null } = thing
    const { rows } = await query(`SELECT ${MADE_COLUMNS} ${AT_PLACE} AND ${SAME} ORDER BY at`, [
      ...[...place, kind, id, job, request],
    ])
    const known = rows.map(madeOf)
    const whole = completed(known, thing)
    const [only, ...more] = known
    return { isNeeded: more.length > 0 || !only || !isSameEntry(only, whole), whole }
  }

  return {
    async note(thing) {
      // Most notes say what is known.
      if (!(await changeOf(db.query, thing)).isNeeded) return
      await db.transaction(async (query) => {
        // Two who note the same thing wait for each other.
        await query('SELECT pg_advisory_xact_lock(hashtext($1))', [`made ${place.join(' ')} ${thing.kind}`])
        const { whole } = await changeOf(query, thing)
        const { kind, id = null, job = null, request = null } = whole
        await query(`DELETE ${AT_PLACE} AND ${SAME}`, [...place, kind, id, job, request])
        await query(
          `INSERT INTO audience.made (profile, service, ${MADE_COLUMNS})
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::integer = 1)`,
          [...place, ...madeValues(whole, redact)],
        )
      })
    },
    async forget(request) {
      await db.query(
        `DELETE FROM audience.made WHERE profile = $1 AND service = $2 AND request = $3 AND id IS NULL AND job IS NULL`,
        [...place, request],
      )
    },
    async byId(kind, id) {
      const row = await db.row(`SELECT ${MADE_COLUMNS} ${AT_PLACE} AND id = $4`, [...place, kind, id])
      return row && madeOf(row)
    },
    async named(kind, name) {
      const rows = await db.rows(`SELECT ${MADE_COLUMNS} ${AT_PLACE} AND name = $4 ORDER BY at`, [
        ...[...place, kind, redact(name)],
      ])
      return rows.map(madeOf)
    },
  }
}

/** Entries of an unknown service, which came from an older embedded state, become those of the profile's service. */
export async function adoptMade(db: Database, profile: string, service: string): Promise<void> {
  await db.query(
    `UPDATE audience.made AS known SET service = $2 WHERE profile = $1 AND service = $3
      AND NOT EXISTS (SELECT 1 FROM audience.made AS other WHERE other.profile = $1 AND other.service = $2
        AND other.kind = known.kind
          AND (other.id = known.id OR other.job = known.job OR other.request = known.request))`,
    [profile, service, UNKNOWN_SERVICE],
  )
}
