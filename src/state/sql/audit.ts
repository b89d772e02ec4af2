import type { Redact } from '../../core/secrets.ts'
import type { Act, AuditEntry, AuditLog } from '../audit-log.ts'
import { addAuditFilter, Conditions } from './filters.ts'
import { textColumn } from './run-row.ts'
import { changesOf, type Row, rowsOf, type Sql, send, type Work } from './work.ts'

/** Adds an entry to the audit log, within the transaction of the action. */
export type AddAct = (act: Act) => Work<unknown>

export function createAddAct({ now, redact }: { now: () => number; redact: Redact }): AddAct {
  return ({ by, role, address, act, subject, detail, comment, outcome }) =>
    send(
      `INSERT INTO audience.audit (at, who, role, address, act, subject, detail, reason, outcome)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [now(), ...[by, role, address, act, subject, detail, comment, outcome].map((text) => text && redact(text))],
    )
}

export function createAuditLog(sql: Sql, addAct: AddAct): AuditLog {
  return {
    add: async (act) => void (await sql.write(() => addAct(act))),
    async list({ limit, ...filter }) {
      const conditions = new Conditions()
      addAuditFilter(conditions, filter)
      const most = conditions.value(limit)
      const query = `SELECT * FROM audience.audit ${conditions.where} ORDER BY id DESC LIMIT ${most}`
      return (await sql.read(rowsOf(query, conditions.values))).map(entryOf)
    },
    forget: ({ before, limit }) => sql.write(() => changesOf(FORGET, [before, limit])),
  }
}

/** Entries are added in chronological order, so if the first entry is too young to remove, all are. */
const FORGET = `DELETE FROM audience.audit
  WHERE at < $1 AND id IN (SELECT id FROM audience.audit ORDER BY id LIMIT $2)`

function entryOf(row: Row): AuditEntry {
  const [by, role, address, detail, comment] = [row.who, row.role, row.address, row.detail, row.reason].map(textColumn)
  return {
    id: Number(row.id),
    at: Number(row.at),
    by,
    role,
    address,
    // Only `AddAct` writes this column.
    act: String(row.act) as AuditEntry['act'],
    subject: String(row.subject),
    detail,
    comment,
    outcome: String(row.outcome),
  }
}
