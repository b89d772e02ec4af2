import { availableParallelism, cpus, loadavg } from 'node:os'

/** One row of a report, by column. All rows have the same columns. */
export type Row = Readonly<Record<string, string>>

/** Prints a table and, below it, the machine that it was measured on. */
export function printReport(title: string, rows: readonly Row[], notes: readonly string[] = []): void {
  const columns = Object.keys(rows[0] ?? {})
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const lines = [
    title,
    '',
    line(columns),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) => line(columns.map((column) => row[column] ?? ''))),
    '',
    ...notes,
    machine(),
    '',
  ]
  process.stdout.write(lines.join('\n'))
}

function machine(): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor'
  const [load = 0] = loadavg()
  return `${availableParallelism()} cores (${model}), Node ${process.version}, load ${load.toFixed(2)} at the end, ${new Date().toISOString().slice(0, 10)}`
}
