import { literal, oneFile } from '../platform/sql-text.ts'
import type { Sandbox } from './sandbox.ts'

/** Parquet files as one relation. */
export function parquetRelation(paths: readonly string[]): string {
  const files = paths.map((path) => literal(oneFile(path))).join(', ')
  return `read_parquet([${files}], union_by_name = true, binary_as_string = true)`
}

/**
 * The columns of a Parquet file, each with its DuckDB type and its name in the file. If two names are alike, or differ
 * only in capitals, DuckDB calls the second `email_1`.
 */
export async function parquetColumns(sandbox: Sandbox, path: string) {
  const columns = await sandbox.rows(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE FROM ${parquetRelation([path])})`,
  )
  const schema = await sandbox.rows(
    `SELECT name, num_children AS children FROM parquet_schema(${literal(oneFile(path))}) ORDER BY column_id`,
  )
  const names: string[] = []
  let inner = 0
  // The first is the file itself.
  for (const { name, children } of schema.slice(1)) {
    if (inner === 0) names.push(String(name))
    else inner -= 1
    inner += Number(children ?? 0)
  }
  return columns.map(({ name, type }, index) => ({
    name: names[index] ?? String(name),
    column: String(name),
    type: String(type),
  }))
}

/** Whether each value of a DuckDB type has exactly one text. Fractions do not: the id 7 as DOUBLE would become 7.0. */
export function isTextual(type: string): boolean {
  return /^(?:VARCHAR|UUID|U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(\d+,0\)|ENUM\(.*\))$/s.test(type)
}
