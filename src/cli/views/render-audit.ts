import type { AuditEntry } from '../../state/audit-log.ts'
import { renderTable, type TableColumn, type TableView, timeColumn } from './table.ts'

/** Entries of the audit log as a table for people. */
export function renderAudit(entries: readonly AuditEntry[], view: TableView): string[] {
  if (entries.length === 0) return ['no entries']
  const columns: readonly TableColumn<AuditEntry>[] = [
    timeColumn('when', entries, ({ at }) => at),
    { header: 'who', min: 8, cell: ({ by }) => by ?? 'unknown' },
    { header: 'role', drop: 2, cell: ({ role }) => role },
    { header: 'from', min: 9, drop: 1, cell: ({ address }) => address },
    { header: 'did', cell: ({ act }) => act },
    { header: 'to', min: 12, cell: ({ subject }) => subject },
    { header: 'details', min: 12, drop: 4, cell: ({ detail }) => detail },
    { header: 'why', min: 12, drop: 3, cell: ({ comment }) => comment },
    { header: 'outcome', cell: ({ outcome }) => ({ text: outcome, format: outcome === 'done' ? 'green' : 'red' }) },
  ]
  return renderTable(columns, entries, view)
}
