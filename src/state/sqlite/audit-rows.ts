import type { DatabaseSync } from 'node:sqlite'
import type { Redact } from '../../core/secrets.ts'
import type { Act, AuditLog } from '../audit-log.ts'
import { auditEntryOf } from '../sql/audit-row.ts'
import { addAuditFilter } from '../sql/filters.ts'
import type { CommitQueue } from './commit-queue.ts'
import { Conditions } from './conditions.ts'

/** Adds an entry to the table `audit`. Called within the transaction of the act. */
export type AddAct = (act: Act) => void

export function createAddAct(db: DatabaseSync, { now, redact }: { now: () => number; redact: Redact }): AddAct {
  const insert = db.prepare(
    'INSERT INTO audit (at, who, role, address, act, subject, detail, reason, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const redacted = (value: string | undefined) => (value === undefined ? null : redact(value))
  return ({ by, role = null, address = null, act, subject, detail, comment, outcome }) => {
    insert.run(
      ...[now(), redacted(by), role, address, act],
      ...[redact(subject), redacted(detail), redacted(comment), redact(outcome)],
    )
  }
}

/** The audit log in the state database. */
export function createSqliteAuditLog(state: {
  readonly db: DatabaseSync
  readonly queue: CommitQueue
  readonly addAct: AddAct
}): AuditLog {
  const { db, queue, addAct } = state
  // Entries are added in the order of time: when the first ones are young, all are.
  const forget = db.prepare(
    'DELETE FROM audit WHERE id IN (SELECT id FROM (SELECT id, at FROM audit ORDER BY id LIMIT ?) WHERE at < ?)',
  )
  return {
    add: (act) => queue.commit(() => addAct(act)),
    async list({ limit, ...filter }) {
      const conditions = new Conditions()
      addAuditFilter(conditions, filter)
      const query = db.prepare(`SELECT * FROM audit ${conditions.where} ORDER BY id DESC LIMIT ?`)
      return query.all(...conditions.values, limit).map(auditEntryOf)
    },
    forget: ({ before, limit }) => queue.commit(() => Number(forget.run(limit, before).changes)),
  }
}
