import type { AuditEntry } from '../../state/audit-log.ts'
import type { Style } from './style.ts'
import { type Cell, renderTable, type TableColumn } from './table.ts'
import { writeLocalTime, writeTime, zoneHere } from './write-time.ts'

/** Entries of the audit log as a table for people. With `width`, the table fits a terminal of that width. */
export function renderAudit(
  entries: readonly AuditEntry[],
  { width, style }: { readonly width?: number; readonly style: Style },
): string[] {
  if (entries.length === 0) return ['no entries']
  const zones = new Set(entries.map(({ at }) => zoneHere(at)))
  const [zone = ''] = zones
  const columns: readonly TableColumn[] = [
    { header: zones.size === 1 ? `when (${zone})` : 'when' },
    { header: 'who', min: 8 },
    { header: 'role', drop: 2 },
    { header: 'from', min: 9, drop: 1 },
    { header: 'did' },
    { header: 'to', min: 12 },
    { header: 'details', min: 12, drop: 4 },
    { header: 'why', min: 12, drop: 3 },
    { header: 'outcome' },
  ]
  const rows = entries.map((entry): readonly Cell[] => [
    { text: zones.size === 1 ? writeLocalTime(entry.at) : writeTime(entry.at) },
    { text: entry.by ?? 'unknown' },
    { text: entry.role ?? '' },
    { text: entry.address ?? '' },
    { text: entry.act },
    { text: entry.subject },
    { text: entry.detail ?? '' },
    { text: entry.comment ?? '' },
    { text: entry.outcome, format: entry.outcome === 'done' ? 'green' : 'red' },
  ])
  return renderTable(columns, rows, { width, style })
}
