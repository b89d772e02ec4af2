import { identifier, literal, oneFile } from '../platform/sql-text.ts'
import { csvRelation } from './csv-relation.ts'
import type { ListInput } from './list-input.ts'
import { parquetRelation } from './parquet-relation.ts'

/** SQL for the relation that a document's query names `input`: the rows of all inputs, with their columns by name. */
export function inputViewSql(inputs: readonly ListInput[]): string {
  const parquet = inputs.filter(({ format }) => format === 'parquet').map(({ path }) => path)
  const ndjson = inputs.filter(({ format }) => format === 'ndjson').map(({ path }) => literal(oneFile(path)))
  const parts = [
    ...inputs.flatMap((input) => (input.format === 'csv' ? [csvView(input.path, input.dialect)] : [])),
    ...(parquet.length > 0 ? [`FROM ${parquetRelation(parquet)}`] : []),
    ...(ndjson.length > 0
      ? [
          `FROM read_json([${ndjson.join(', ')}], format = 'newline_delimited', compression = 'uncompressed', sample_size = -1, union_by_name = true)`,
        ]
      : []),
  ]
  return parts.join(' UNION ALL BY NAME ')
}

/** All columns are text: a number would lose the zeros that an id begins with. */
function csvView(path: string, dialect: Parameters<typeof csvRelation>[1]): string {
  const columns = columnNames(dialect.first).map((name, index) => `c${index + 1} AS ${identifier(name)}`)
  return `SELECT ${columns.join(', ')} FROM ${csvRelation(path, dialect, { hasHeader: true })}`
}

/** The names of a header, each different; a column without a name is `column_3`. */
function columnNames(header: readonly string[]): string[] {
  const taken = new Set<string>()
  return header.map((field, index) => {
    const name = field.trim() || `column_${index + 1}`
    let free = name
    for (let copy = 2; taken.has(free.toLowerCase()); copy++) free = `${name}_${copy}`
    taken.add(free.toLowerCase())
    return free
  })
}
