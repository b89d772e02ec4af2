import type { Redact } from '../../core/secrets.ts'
import type { Act, AuditLog } from '../audit-log.ts'
import { auditEntryOf } from '../sql/audit-row.ts'
import { addAuditFilter } from '../sql/filters.ts'
import { Conditions } from './conditions.ts'
import type { Database, Query } from './database.ts'

/** Adds an entry to the table `audit`, within the transaction of the act. */
export type AddAct = (query: Query, act: Act) => Promise<void>

export function createAddAct({ now, redact }: { now: () => number; redact: Redact }): AddAct {
  const redacted = (value: string | undefined) => (value === undefined ? null : redact(value))
  return async (query, { by, role, address, act, subject, detail, comment, outcome }) => {
    await query(
      `INSERT INTO audience.audit (at, who, role, address, act, subject, detail, reason, outcome)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [now(), ...[by, role, address, act, subject, detail, comment, outcome].map(redacted)],
    )
  }
}

/** The audit log in the database. */
export function createAuditLog(db: Database, addAct: AddAct): AuditLog {
  return {
    add: (act) => addAct(db.query, act),
    async list({ limit, ...filter }) {
      const conditions = new Conditions()
      addAuditFilter(conditions, filter)
      const most = conditions.value(limit)
      const rows = await db.rows(
        `SELECT * FROM audience.audit ${conditions.where} ORDER BY id DESC LIMIT ${most}`,
        conditions.values,
      )
      return rows.map(auditEntryOf)
    },
    // Entries are added in the order of time: when the first ones are young, all are.
    forget: async ({ before, limit }) =>
      (
        await db.query(
          `DELETE FROM audience.audit WHERE at < $1
            AND id IN (SELECT id FROM audience.audit ORDER BY id LIMIT $2)`,
          [before, limit],
        )
      ).changes,
  }
}
