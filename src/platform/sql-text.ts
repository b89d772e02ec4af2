/** A string as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A path that DuckDB reads as exactly one file, although it treats paths as glob patterns. */
export function oneFile(path: string): string {
  return path.replace(/[*?[]/g, '[$&]')
}
