import { type FileSignal, isHashable } from '../contract/enumerations.ts'
import { normaliseSql, patternSql, trimmedSql } from '../contract/normalise-sql.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import { fieldsSql, withoutQuotes } from './fields-sql.ts'
import { inputViewSql } from './input-view.ts'
import { ADDRESS_IN_TEXT } from './keys-within.ts'
import type { ListInput } from './list-input.ts'
import type { ListRequest } from './list-request.ts'
import { isTextual } from './parquet-relation.ts'
import type { Sandbox } from './sandbox.ts'

/**
 * Makes the table `found` (key, blank, n): each key with the number of its rows; for rows without a key, whether they
 * are blank.
 */
export async function readRows(sandbox: Sandbox, inputs: readonly ListInput[], request: ListRequest): Promise<void> {
  const { column, sql, signal } = request
  const fields =
    sql === undefined ? await columnFields(sandbox, inputs, { column: column ?? 1, signal }) : asked(inputs)
  if (sql !== undefined) await ask(sandbox, inputs, sql)
  // With CASE, unlike with AND, only the values without a key are examined.
  const found = `SELECT key, CASE WHEN key IS NULL THEN ${isBlankRow('field')} ELSE false END AS blank, count(*) AS n
    FROM (${keysSql(signal, fields)}) GROUP BY key, blank`
  await sandbox.run(`CREATE OR REPLACE TEMP TABLE found AS ${found}`, sql)
}

/** SQL for the relation (field): the values of the column in all inputs. */
export async function columnFields(
  sandbox: Sandbox,
  inputs: readonly ListInput[],
  column: { column: string | number; signal: FileSignal },
): Promise<string> {
  const parts: string[] = []
  for (const input of inputs) parts.push(await fieldsSql(input, column, sandbox))
  return `(${parts.join(' UNION ALL ')})`
}

/** SQL that turns a relation (field) into a relation (field, key). */
export function keysSql(signal: FileSignal, fields: string): string {
  const keyed = normaliseSql(signal, fields)
  // An e-mail address must not be sent as a postal address, because an opt-out by e-mail would not match it.
  if (signal === 'ADDRESS')
    return `SELECT field, CASE WHEN NOT regexp_matches(field, ${patternSql(ADDRESS_IN_TEXT)}) AND NOT regexp_matches(field, ${patternSql(OTHER_KEY)}) THEN key END AS key FROM (${keyed})`
  // An id with a line break inside cannot be uploaded, because each line is a record (decision 113). No other key can
  // have one.
  return isHashable(signal)
    ? keyed
    : `SELECT field, CASE WHEN NOT contains(key, chr(10)) AND NOT contains(key, chr(13)) THEN key END AS key FROM (${keyed})`
}

/** What cannot be a postal address, apart from text that contains an e-mail address: an IP address or a device id. */
const OTHER_KEY =
  /^\s*(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*|[0-9A-Fa-f]{8}(?:-?[0-9A-Fa-f]{4}){3}-?[0-9A-Fa-f]{12})\s*$/

/** SQL for the relation (field): the result of a document's query. */
function asked(inputs: readonly ListInput[]): string {
  const text = '(SELECT CAST(field AS VARCHAR) AS field FROM asked)'
  return inputs.some(({ format }) => format === 'csv')
    ? `(SELECT ${withoutQuotes('field')} AS field FROM ${text})`
    : text
}

/** Makes the view `asked` (field) from a document's query on `input`. */
async function ask(sandbox: Sandbox, inputs: readonly ListInput[], sql: string): Promise<void> {
  await sandbox.run(`CREATE OR REPLACE TEMP VIEW input AS ${await inputViewSql(sandbox, inputs, sql)}`)
  const count = await sandbox.columnsOf(sql)
  if (count !== 1) throw wrongResult(`gives ${count} columns, but one is needed`)
  // The query begins on the first line, so that DuckDB counts lines as the query does.
  await sandbox.run(`CREATE OR REPLACE TEMP VIEW asked(field) AS ${sql}`, sql)
  const [row] = await sandbox.rows('SELECT column_type AS type FROM (DESCRIBE asked)')
  const type = String(row?.type)
  if (!isTextual(type)) throw wrongResult(`gives ${type}, but keys are text or whole numbers`)
}

function wrongResult(what: string): AudienceError {
  return failedError('list-sql', `sql ${what}`, 'select one column with the keys: SELECT email FROM input')
}

/** SQL that tests whether a field is blank. */
export function isBlankRow(field: string): string {
  return `coalesce(${trimmedSql(field)}, '') = ''`
}
