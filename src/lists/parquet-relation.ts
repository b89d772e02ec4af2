import { literal, oneFile } from '../platform/sql-text.ts'

/** Parquet files as one relation. */
export function parquetRelation(paths: readonly string[]): string {
  const files = paths.map((path) => literal(oneFile(path))).join(', ')
  return `read_parquet([${files}], union_by_name = true, binary_as_string = true)`
}

/** Whether values of a type of DuckDB have one text. A fraction has not: the id 7 as DOUBLE would become 7.0. */
export function isTextual(type: string): boolean {
  return /^(?:VARCHAR|UUID|U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(\d+,0\)|ENUM\(.*\))$/s.test(type)
}
