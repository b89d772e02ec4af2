import { expect, test } from 'vitest'
import { csvDialect, readRecord, recordFields } from '../../src/lists/csv-dialect.ts'
import { listDialect } from '../../src/lists/list-input.ts'

const shown = (text: string, given?: Parameters<typeof csvDialect>[1]) => {
  const { delimiter, quote, escapeMark, first, before, lines } = csvDialect(text, given)
  return [delimiter === '\u{10FFFF}' ? 'none' : delimiter, quote + escapeMark, first, before, lines]
}
const same = (line: string, count: number) => `${line}\n`.repeat(count)

test.each([
  ['no text', '', [',', '""', [], 0, 1]],
  ['one column', 'email\na@x.test\n', [',', '""', ['email'], 0, 1]],
  ['commas', 'id,email\n1,a@x.test\n', [',', '""', ['id', 'email'], 0, 1]],
  ['tabs, and commas in fields', 'id\tname\n1\tb, c\n', ['\t', '""', ['id', 'name'], 0, 1]],
  ['blank lines before it', ' \r\n\nid;n\n1;2\n', [';', '""', ['id', 'n'], 2, 1]],
  ['what Excel says', 'sep=;\nid;n,m\n1;2,3\n', [';', '""', ['id', 'n,m'], 1, 1]],
  ['a header of two lines', '"i\r\nd",n\r\n1,2\r\n', [',', '""', ['i\r\nd', 'n'], 0, 2]],
  ['a header of one line, and the last', '"id",n', [',', '""', ['id', 'n'], 0, 1]],
  ['a header in quotes keeps no quote', '"id","n"\n1,2\n', [',', '""', ['id', 'n'], 0, 1]],
  ['fields of a header without quotes keep theirs inside', 'i"d,n\n1,2\n', [',', '""', ['i"d', 'n'], 0, 1]],
  ['quotes around quotes stay', '"""id""",n\n1,2\n', [',', '""', ['"id"', 'n'], 0, 1]],
  ['backslashes before quotes', 'n,m\n"a\\"b, c",1\n"d",2\n', [',', '"\\', ['n', 'm'], 0, 1]],
  ['single quotes', `id,n\n'1','b, c'\n'2','d'\n`, [',', "''", ['id', 'n'], 0, 1]],
  ['single quotes below a header in double ones', `"id","n"\n'1','b'\n`, [',', "''", ['id', 'n'], 0, 1]],
  ['single quotes from the beginning', `'id','n'\n1,2\n3,4\n5,6\n`, [',', "''", ['id', 'n'], 0, 1]],
  ['single quotes from the beginning, beside double ones', `'id',n\n"1",2\n`, [',', '""', ["'id'", 'n'], 0, 1]],
  ['single quotes in half of the rows', `id,n\n'1',2\n3,4\n`, [',', "''", ['id', 'n'], 0, 1]],
  ['single quotes in fewer', `id,n\n'1',2\n3,4\n5,6\n`, [',', '""', ['id', 'n'], 0, 1]],
  ['single quotes beside double ones', `id,n\n'1',2\n"3",4\n`, [',', '""', ['id', 'n'], 0, 1]],
])('%s', (_name, text, expected) => {
  expect(shown(text)).toEqual(expected)
})

test.each([
  // A row counts if it has as many fields as the first one; at least half of the rows must count.
  ['half of the rows fit', `a,b\n1,2\nx\ny\n`, ['a', 'b']],
  ['blank lines are no rows', `a,b\n\n \n\n\n1,2\n`, ['a', 'b']],
  ['fewer fit', `a,b\nx\ny\n`, ['a,b']],
  ['more rows fit another sign', `a,b;c\n1;2\n3;4\n5;6\n`, ['a,b', 'c']],
  ['a row whose quotes do not end fits nothing', `a,b\n1,2\n3,4\n"5,6\n`, ['a', 'b']],
  ['rows whose quotes do not end do not count as fitting', `a,b\n"1,2\n"3,4\n"5,6\n`, ['a,b']],
  [
    'a sign that all rows fit, and not one that makes more fields of most',
    `a,b,c;d\n1,2,3;4\n5,6,7;8\n9;0\n`,
    ['a,b,c', 'd'],
  ],
  ['with line ends of Windows fewer fit', `a,b\r\nx\r\ny\r\n`, ['a,b']],
  ['where all fit, the one that makes most fields', `a,b,c;d\n1,2,3;4\n`, ['a', 'b', 'c;d']],
  ['only the first fifty records are looked at', `${same('a,b', 25)}${same('x', 25)}${same('y', 100)}`, ['a', 'b']],
])('%s: %#', (_name, text, first) => {
  expect(csvDialect(text).first).toEqual(first)
})

test('a given delimiter is not guessed, and `none` splits nothing', () => {
  expect(shown('a,b;c\n1,2;3\n', ';')).toEqual([';', '""', ['a,b', 'c'], 0, 1])
  expect(shown('a\tb,c\n', 'tab')).toEqual(['\t', '""', ['a', 'b,c'], 0, 1])
  expect(shown('a,b\n1,2\n', 'none')).toEqual(['none', '""', ['a,b'], 0, 1])
  expect(shown('sep=;\na;b,c\n', ',')).toEqual([',', '""', ['a;b', 'c'], 1, 1])
})

const COMMA = { delimiter: ',', quote: '"', escapeMark: '"' }
const BACKSLASH = { ...COMMA, escapeMark: '\\' }

test.each([
  ['a,b', ['a', 'b']],
  ['a,', ['a', '']],
  ['', ['']],
  ['"a,b",c', ['a,b', 'c']],
  ['"a""b",c', ['a"b', 'c']],
  ['a, "b, c" ,d', ['a', 'b, c', 'd']],
  // Spaces before the opening quote do not belong to the quoted text, as in DuckDB.
  [' "a,b"', [' "a', 'b"']],
  ['"a" x,b', ['a x', 'b']],
  ['"a,b', ['"a', 'b']],
  ['a"b,c', ['a"b', 'c']],
  ['"a,",b', ['a,', 'b']],
  [', "b, c"', ['', 'b, c']],
])('the fields of %s', (record, fields) => {
  expect(recordFields(record, COMMA)).toEqual(fields)
})

test('the fields of a record with backslashes', () => {
  expect(recordFields('"a\\"b,c",d\\"e', BACKSLASH)).toEqual(['a"b,c', 'd\\"e'])
  expect(recordFields('"a\\\\",b', BACKSLASH)).toEqual(['a\\\\', 'b'])
})

test.each([
  ['a,b\nc', 'closed', 3],
  ['a,b\r\nc', 'closed', 3],
  ['a,b', 'closed', 3],
  ['"a\nb",c\nd', 'closed', 7],
  ['"a" ,b\n', 'closed', 6],
  ['a, "b\nc"\n', 'closed', 8],
  [' "a\nb"\n', 'closed', 3],
  ['"a', 'quoted', 2],
  ['"a""', 'quoted', 4],
  ['"a"b,c\n', 'broken', 3],
  ['"a" b,c\n', 'broken', 4],
])('a record of %j is %s at %d', (text, state, at) => {
  expect(readRecord(text, COMMA, { state: 'field', at: 0 })).toEqual({ state, at })
})

// A key of this signal may be any text, so nothing in the rows shows where one ends.
test.each([
  ['a column with a header', '7;KEY_\n1;2\n', 2, undefined, ';'],
  ['a column without one', '7;8\n1;2\n', 2, undefined, 'none'],
  ['a column without one, and a sign that is given', '7;8\n1;2\n', 2, ';', ';'],
  ['a column that is not there', '7;KEY_\n1;2\n', 3, undefined, 'none'],
  ['a column by its name', '7;8\n1;2\n', 'KEY_', undefined, ';'],
] as const)('the sign between keys of any form: %s', (_name, text, column, given, delimiter) => {
  const dialect = listDialect(text.replaceAll('KEY_', 'PARTNER_RECORD_ID'), {
    column,
    signal: 'PARTNER_RECORD_ID',
    delimiter: given,
  })
  expect(dialect.delimiter === '\u{10FFFF}' ? 'none' : dialect.delimiter).toBe(delimiter)
})

test.each([
  ['a,b\n', undefined],
  ['a\n', undefined],
  ['"a\nb"\n', undefined],
  ['a,b', 'line'],
  ['a', 'line'],
  ['"a"b,c', 'line'],
  ['a,"b', 'quote'],
  ['"a', 'quote'],
])('of %j, which may be the beginning of a file, this has no end: %s', (text, open) => {
  expect(csvDialect(text).open).toBe(open)
})
