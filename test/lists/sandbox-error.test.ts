import { expect, test } from 'vitest'
import { sandboxError } from '../../src/lists/sandbox-error.ts'

const NAMELESS = 'the list cannot be read: '
const JSON_ERROR = 'Invalid Input Error: JSON transform error in file "ann@x.test"'

/** The message for an error of DuckDB. */
function told(text: string, query?: string) {
  const { code, message, hint, cause } = sandboxError(new Error(text), { query, memoryBytes: 300e6 })
  expect(`${message} ${hint}`).not.toContain('ann@x.test')
  expect(cause).toBeUndefined()
  return { code, message }
}

test.each([
  ['IO Error: ann@x.test', 'DuckDB reports an IO Error'],
  ['Parser Error: ann@x.test', 'DuckDB reports a Parser Error'],
  ['Invalid: Conversion Error: ann@x.test', 'DuckDB reports a Conversion Error'],
  ['ann@x.test', 'DuckDB reports an error'],
  ['Permission Error: ann@x.test', 'DuckDB reports a Permission Error'],
  ['Invalid Input Error: Malformed JSON in file "ann@x.test", at byte 3 in line 7: x', 'line 7 is not one JSON object'],
  [
    `${JSON_ERROR}, in line 2: Object ann@x.test has duplicate key "x"`,
    'one of its objects has two fields with the same name',
  ],
  [`${JSON_ERROR}, in line 2: Expected OBJECT, but got x`, 'one of its lines is not an object'],
  ['Binder Error: json_read expected records', 'one of its lines is not an object'],
])('an error while a file is read has its kind, and no row: %s', (text, why) => {
  expect(told(text)).toEqual({ code: 'list-unreadable', message: `${NAMELESS}${why}` })
})

test.each([
  ['Out of Memory Error: ann@x.test', 'list-memory'],
  ['INTERNAL Error: std::bad_alloc', 'list-memory'],
  ['IO Error: ann@x.test: No space left on device', 'list-disk-full'],
  ['IO Error: File too large', 'list-disk-full'],
  ['Out of Memory Error: failed to offload, max_temp_directory_size', 'list-disk-full'],
])('what has no room says so, in a query, too: %s', (text, code) => {
  for (const query of [undefined, 'SELECT x']) expect(told(text, query).code).toBe(code)
})

const QUERY = 'SELECT ann\nFROM input'

test.each([
  ['Binder Error: ann@x.test\n\nLINE 1: SELECT', 'sql gives a Binder Error on line 1 of the query'],
  ['Parser Error: ann@x.test\n\nLINE 2: FROM', 'sql gives a Parser Error on line 2 of the query'],
  ['Invalid Input Error: ann@x.test\n\nLINE 3: x', 'sql gives an Invalid Input Error'],
  ['Conversion Error: ann@x.test\n\nLINE 0: x', 'sql gives a Conversion Error'],
  ['ann@x.test', 'sql gives an error'],
  ['Permission Error: ann@x.test', 'sql reads something other than `input`'],
])('an error of a query has the line, if the query has it: %j', (text, message) => {
  expect(told(text, QUERY)).toEqual({ code: 'list-sql', message })
})
