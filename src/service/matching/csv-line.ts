import { QUOTED_FIELD } from '../../contract/signal-key.ts'

/**
 * These functions read a line of an uploaded file in SQL as `firstFieldOf` does in JavaScript (decision 113). Each line
 * is a record. An unclosed quote breaks only its own line, and a quoted field cannot contain a line break.
 */

/** SQL for the first field, without its quotes; empty if its quotes are broken. */
export function firstFieldSql(row: string): string {
  return `CASE WHEN starts_with(${row}, chr(65279)) THEN ${fieldSql(`ltrim(${row}, chr(65279))`)} ELSE ${fieldSql(row)} END`
}

function fieldSql(line: string): string {
  const quoted = `replace(regexp_extract(${line}, '${QUOTED_FIELD.source}', 1), '""', '"')`
  return `CASE WHEN starts_with(${line}, '"') THEN ${quoted} ELSE split_part(${line}, ',', 1) END`
}

/** SQL for the second field, without its quotes; empty if there is none. */
export function secondFieldSql(line: string): string {
  const rest = `regexp_extract(${line}, '^(?:"(?:[^"]|"")*"[ \\t]*|[^",][^,]*)?,(.*)$', 1)`
  return fieldSql(rest)
}

/**
 * The lines of a file as a relation with the column line. The field separator is U+10FFFF, which is not a character, so
 * each line is one field. Lines that are too long or not UTF-8 are left out and listed in `reject_errors`.
 */
export function csvLinesRelation(file: string, skip: number): string {
  return `read_csv(${file}, columns = {'line': 'VARCHAR'}, auto_detect = false, compression = 'none', header = false,
    skip = ${skip}, delim = '\u{10FFFF}', quote = '', escape = '', strict_mode = false, store_rejects = true)`
}
