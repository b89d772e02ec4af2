/** Prints rows and their header as readable Markdown. */
export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  console.log(line(heads))
  console.log(line(widths.map((width) => '-'.repeat(width))))
  for (const row of rows) console.log(line(row))
}

/** A missed limit makes the script exit with 1. */
export function verdict(holds: boolean): 'pass' | 'FAIL' {
  if (!holds) process.exitCode = 1
  return holds ? 'pass' : 'FAIL'
}

/** A row for a figure that must have one value: name, measured, wanted, verdict. */
export function exactly(name: string, value: number, wanted: number): readonly string[] {
  return [name, String(value), String(wanted), verdict(value === wanted)]
}
