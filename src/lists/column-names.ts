import { linesRelation } from './csv-relation.ts'
import type { ListInput } from './list-input.ts'
import { parquetRelation } from './parquet-relation.ts'
import type { Sandbox } from './sandbox.ts'

/**
 * The names of the columns of an input; of a CSV file without a header, its first record; of NDJSON,
 * those of all objects.
 */
export async function columnNames(input: ListInput, sandbox: Sandbox): Promise<readonly string[]> {
  if (input.format === 'csv') return input.dialect.first
  const names =
    input.format === 'parquet'
      ? `SELECT column_name AS name FROM (DESCRIBE FROM ${parquetRelation([input.path])})`
      : `SELECT DISTINCT unnest(json_keys(line)) AS name FROM ${linesRelation(input.path)} WHERE json_valid(line) ORDER BY name`
  return (await sandbox.rows(names)).map(({ name }) => String(name))
}
