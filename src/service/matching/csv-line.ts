/**
 * How a line of an uploaded file is read, in JavaScript and in SQL alike (decision 113). A line is a record: a quote
 * that is never closed breaks its own line and no other, and a quoted field cannot hold a line break.
 */

/** The first field, without its quotes; undefined when its quotes are broken. */
export function firstField(line: string): string | undefined {
  if (!line.startsWith('"')) return line.split(',', 1)[0]
  return QUOTED_FIELD.exec(line)?.[1]?.replaceAll('""', '"')
}

/** SQL of the first field, without its quotes; empty when its quotes are broken. */
export function firstFieldSql(line: string): string {
  const quoted = `replace(regexp_extract(${line}, '${QUOTED_FIELD.source}', 1), '""', '"')`
  return `CASE WHEN starts_with(${line}, '"') THEN ${quoted} ELSE split_part(${line}, ',', 1) END`
}

/** SQL of the second field, without its quotes; empty when there is none. */
export function secondFieldSql(line: string): string {
  const rest = `regexp_extract(${line}, '^(?:"(?:[^"]|"")*"[ \\t]*|[^",][^,]*)?,(.*)$', 1)`
  return firstFieldSql(rest)
}

/**
 * The lines of a file as a relation (line): no field ever ends at U+10FFFF, which is not a character, so that each line
 * comes whole. Lines that are not UTF-8, or too long, are left out and listed in `reject_errors`.
 */
export function linesRelation(file: string, skip: number): string {
  return `read_csv(${file}, columns = {'line': 'VARCHAR'}, auto_detect = false, compression = 'none', header = false,
    skip = ${skip}, delim = '\u{10FFFF}', quote = '', escape = '', strict_mode = false, store_rejects = true)`
}

const QUOTED_FIELD = /^"((?:[^"]|"")*)"[ \t]*(?:,|$)/
