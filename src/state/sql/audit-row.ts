import type { AuditEntry } from '../audit-log.ts'
import { text } from './run-row.ts'

/** A row of the table `audit`. */
export function auditEntryOf(row: Readonly<Record<string, unknown>>): AuditEntry {
  const [by, role, address, detail, comment] = [row.who, row.role, row.address, row.detail, row.reason].map(text)
  return {
    id: Number(row.id),
    at: Number(row.at),
    ...(by !== undefined && { by }),
    ...(role !== undefined && { role }),
    ...(address !== undefined && { address }),
    // Only acts write this column.
    act: String(row.act) as AuditEntry['act'],
    subject: String(row.subject),
    ...(detail !== undefined && { detail }),
    ...(comment !== undefined && { comment }),
    outcome: String(row.outcome),
  }
}
