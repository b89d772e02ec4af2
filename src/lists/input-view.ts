import { trimmedText } from '../contract/visible-text.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import { identifier, literal, oneFile } from '../platform/sql-text.ts'
import { csvRelation } from './csv-relation.ts'
import { manyColumns, plainName, plainNameSql } from './fields-sql.ts'
import type { ListInput } from './list-input.ts'
import { isTextual, parquetColumns, parquetRelation } from './parquet-relation.ts'
import type { Sandbox } from './sandbox.ts'

/** Some inputs that one relation reads. */
interface Part {
  /** SQL for all rows of these inputs. */
  readonly rows: string
  readonly columns: readonly QueryColumn[]
}

interface QueryColumn {
  readonly given: string
  /** As in the file. DuckDB may call it `email_1` if another column has that name. */
  readonly name: string
  readonly type: string
}

/**
 * SQL for the relation that a document's query calls `input`: the rows of all inputs, with their columns by name.
 * Throws if it is not clear which column the query names, or what its values are: a file has two columns of that name,
 * or the column is text in one file and holds fractions in another.
 */
export async function inputViewSql(sandbox: Sandbox, inputs: readonly ListInput[], sql: string): Promise<string> {
  const parts = inputs.flatMap((input) => (input.format === 'csv' ? [csvPart(input)] : []))
  const parquet = inputs.filter(({ format }) => format === 'parquet')
  if (parquet.length > 0) parts.push(await parquetPart(sandbox, parquet))
  const ndjson = inputs.filter(({ format }) => format === 'ndjson')
  const texts = new Set(
    parts.flatMap(({ columns }) => columns.flatMap((one) => (isText(one) ? [plainName(one.name)] : []))),
  )
  if (ndjson.length > 0) parts.push(await jsonPart(sandbox, ndjson, texts))
  const read = parts.flatMap(({ columns }) => columns).filter(({ name }) => isNamedIn(sql, plainName(name)))
  for (const alike of Map.groupBy(read, ({ name }) => plainName(name)).values()) checkAlike(alike)
  return parts.map(({ rows }) => rows).join(' UNION ALL BY NAME ')
}

/** Whether a query contains a name, as a whole word. */
function isNamedIn(sql: string, name: string): boolean {
  const text = plainName(sql)
  if (name === '') return false
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (![text[at - 1], text[at + name.length]].some((char) => char !== undefined && WORD.test(char))) return true
  }
  return false
}

const WORD = /[\p{L}\p{M}\p{N}_]/u

/**
 * Throws if a file has several columns with the same name, or if a column is text in one file and holds fractions in
 * another.
 */
function checkAlike(columns: readonly QueryColumn[]): void {
  for (const [given, own] of Map.groupBy(columns, (one) => one.given))
    if (own[0] !== undefined && own.length > 1)
      throw manyColumns(
        given,
        plainName(own[0].name),
        own.length,
        'give each a different name, or replace sql with column',
      )
  const fractions = columns.find(({ type }) => FRACTIONS.test(type) && !isTextual(type))
  if (fractions && columns.some(isText)) throw mixedTypes(fractions)
}

function isText({ type }: QueryColumn): boolean {
  return type === 'VARCHAR'
}

/** As text, the id 7 would become 7.0. */
const FRACTIONS = /^(?:DOUBLE|FLOAT|DECIMAL)/

function mixedTypes({ given, name, type }: QueryColumn): AudienceError {
  return failedError(
    'list-column-type',
    `column "${name}" of ${given} is ${type}, but in another file of the list it is text`,
    'write the column as text in every file; if it were converted to text here, the id 7 would become 7.0',
  )
}

/** All columns are text, because a number would lose the zeros that an id begins with. */
function csvPart({ given, path, dialect }: ListInput & { format: 'csv' }): Part {
  const columns = uniqueNames(dialect.first).map((name, index) => `c${index + 1} AS ${identifier(name)}`)
  return {
    rows: `SELECT ${columns.join(', ')} FROM ${csvRelation(path, dialect, { hasHeader: true })}`,
    columns: dialect.first.map((name) => ({ given, name, type: 'VARCHAR' })),
  }
}

/** The names of a header, all different; a column without a name is `column_3`. */
function uniqueNames(header: readonly string[]): string[] {
  const names = header.map((field, index) => trimmedText(field) || `column_${index + 1}`)
  const taken = new Set(names.map((name) => name.toLowerCase()))
  const seen = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let copy = 2; seen.has(name.toLowerCase()) && taken.has(free.toLowerCase()); copy++) free = `${name}_${copy}`
    taken.add(free.toLowerCase())
    seen.add(name.toLowerCase())
    return free
  })
}

async function parquetPart(sandbox: Sandbox, inputs: readonly ListInput[]): Promise<Part> {
  const columns: QueryColumn[] = []
  for (const { given, path } of inputs)
    for (const { name, type } of await parquetColumns(sandbox, path)) columns.push({ given, name, type })
  return { rows: `FROM ${parquetRelation(inputs.map(({ path }) => path))}`, columns }
}

/** Each object names its fields, so all files are examined together. `texts`: the columns that are text elsewhere. */
async function jsonPart(sandbox: Sandbox, inputs: readonly ListInput[], texts: ReadonlySet<string>): Promise<Part> {
  const [{ given } = { given: '' }] = inputs
  const files = `[${inputs.map(({ path }) => literal(oneFile(path))).join(', ')}], compression = 'uncompressed'`
  const alike = await sandbox.rows(`SELECT any_value(name) AS name, count(*) AS n
    FROM (SELECT DISTINCT unnest(json_keys(json)) AS name FROM read_ndjson_objects(${files}))
    GROUP BY ${plainNameSql('name')} HAVING count(*) > 1`)
  const several = alike.flatMap(({ name, n }) =>
    Array.from({ length: Number(n) }, () => ({ given, name: String(name), type: 'JSON' })),
  )
  const objects = `${files}, format = 'newline_delimited', records = true`
  const found = `read_json(${objects}, sample_size = -1, union_by_name = true)`
  const described = await sandbox.rows(`SELECT column_name AS name, column_type AS type FROM (DESCRIBE FROM ${found})`)
  const doubled = new Set(several.map(({ name }) => plainName(name)))
  const columns = described
    .map(({ name, type }) => ({ given, name: String(name), type: String(type) }))
    .filter(({ name }) => !doubled.has(plainName(name)) && !doubled.has(plainName(name.replace(/_\d+$/, ''))))
  const asWritten = columns.map((one) => ({
    ...one,
    type: TIMES.test(one.type) && texts.has(plainName(one.name)) ? 'VARCHAR' : one.type.replaceAll(UUIDS, 'VARCHAR'),
  }))
  // DuckDB takes either the types of all fields or none. If it gets them, it detects dates in one format only.
  const isSame = asWritten.every(({ type }, index) => type === columns[index]?.type)
  const types = asWritten.map(({ name, type }) => `${literal(name)}: ${literal(type)}`)
  return {
    rows: `FROM ${isSame ? found : `read_json(${objects}, columns = {${types.join(', ')}})`}`,
    columns: [...several, ...asWritten],
  }
}

/**
 * Strings that look like UUIDs would lose their capitals. Matches the type, also inside a struct or a list, but not a
 * field name.
 */
const UUIDS = /(?<=^| )UUID(?=$|[,)[])/g
/** Strings that look like dates would be rewritten if the column also has other strings. */
const TIMES = /^(?:DATE|TIME)/
