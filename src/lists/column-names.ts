import { linesRelation } from './csv-relation.ts'
import type { ListInput } from './list-input.ts'
import { parquetRelation } from './parquet-relation.ts'
import type { Sandbox } from './sandbox.ts'

/** The names of the columns of an input; of a CSV file without a header, its first record. */
export async function columnNames(input: ListInput, sandbox: Sandbox): Promise<readonly string[]> {
  if (input.format === 'csv') return input.dialect.first
  const names =
    input.format === 'parquet'
      ? `SELECT column_name AS name FROM (DESCRIBE FROM ${parquetRelation([input.path])})`
      : `SELECT unnest(json_keys(line)) AS name
          FROM (FROM ${linesRelation(input.path)} WHERE json_valid(line) LIMIT 1)`
  return (await sandbox.rows(names)).map(({ name }) => String(name))
}
