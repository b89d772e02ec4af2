import { type AudienceError, failedError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { brokenObjects, diskFull, memoryOver, NAMELESS } from './list-errors.ts'

/** The kinds of DuckDB's errors. An error message begins with one of them. */
const KINDS = ['Parser', 'Binder', 'Catalog', 'Conversion', 'Invalid Input', 'Out of Range', 'Out of Memory']
const MORE_KINDS = ['Mismatch Type', 'Constraint', 'Permission', 'IO', 'Not implemented', 'INTERNAL', 'Serialization']
const KIND = new RegExp(`(?:^|: )(${[...KINDS, ...MORE_KINDS].join('|')}) Error: `)

/** What DuckDB reports for NDJSON that it cannot read. It gives the line number only for a line that is not JSON. */
const BROKEN_JSON = /^Invalid Input Error: Malformed JSON in file ".*?", at byte \d+ in line (\d+):/
const FIELD_TWICE = /^Invalid Input Error: JSON transform error in file .* has duplicate key "/s
const NO_OBJECT =
  /^(?:Binder Error: json_read expected records|Invalid Input Error: JSON transform error in file .* Expected OBJECT)/s

/**
 * A DuckDB error without its text, which can contain rows. It has only the kind of the error and the line of the query.
 * It has no cause, either.
 */
export function sandboxError(
  error: unknown,
  { query, memoryBytes }: { query: string | undefined; memoryBytes: number },
): AudienceError {
  const text = messageOf(error)
  const kind = KIND.exec(text)?.[1]
  if (/No space left on device|File too large|max_temp_directory_size/.test(text)) return diskFull()
  if (kind === 'Out of Memory' || isOutOfMemory(text)) return memoryOver(memoryBytes)
  const line = BROKEN_JSON.exec(text)?.[1]
  if (line !== undefined) return brokenObjects(`line ${line} is not one JSON object`)
  if (FIELD_TWICE.test(text)) return brokenObjects('one of its objects has two fields with the same name')
  if (NO_OBJECT.test(text)) return brokenObjects('one of its lines is not an object')
  const what = kind === undefined ? 'an error' : `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind} Error`
  if (query === undefined) {
    return failedError(
      'list-unreadable',
      `${NAMELESS}DuckDB reports ${what}`,
      'check that the file is complete; the message of DuckDB may contain rows, so it is not kept',
    )
  }
  if (kind === 'Permission') {
    return failedError(
      'list-sql',
      'sql reads something other than `input`',
      'a query sees only the files of `from`, as `input`: no other file, no address and no extension; docs/lists.md says how files get there',
    )
  }
  const place = lineOf(text, query)
  return failedError(
    'list-sql',
    `sql gives ${what}${place === undefined ? '' : ` on line ${place} of the query`}`,
    'try the query by hand in DuckDB, with the file as `input`; the message of DuckDB may contain rows, so it is not kept',
  )
}

/** Whether text from DuckDB or V8 says that memory ran out. */
export function isOutOfMemory(text: string): boolean {
  return /bad_alloc|bad allocation|out of memory|allocate memory|Failed to (?:allocate|reserve)|Resource temporarily unavailable/i.test(
    text,
  )
}

/** The line of the query that DuckDB points at; undefined unless the query has such a line. */
function lineOf(text: string, query: string): number | undefined {
  const line = Number(/^LINE (\d+): /m.exec(text)?.[1])
  return line >= 1 && line <= query.split('\n').length ? line : undefined
}
