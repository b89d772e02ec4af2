import { describe, expect, test } from 'vitest'
import { renderTable, type TableColumn } from '../../../src/cli/views/table.ts'
import { cut, widthOf, wrapWords } from '../../../src/cli/views/text-width.ts'

const style = (_format: unknown, text: string) => text
const rows = [
  ['r1', 'file=the-list-of-today.csv', 'failed', 'match: too few matches to activate'],
  ['r2', '', 'succeeded', undefined],
]
const columns: readonly TableColumn<(typeof rows)[number]>[] = [
  { header: 'run', cell: ([run]) => run },
  { header: 'inputs', min: 8, drop: 1, cell: (row) => row[1] },
  { header: 'status', cell: (row) => ({ text: row[2] ?? '', format: 'red' }) },
  { header: 'details', min: 10, drop: 2, cell: (row) => row[3] },
]
const table = (width?: number) => renderTable(columns, rows, { width, style })

describe('a table', () => {
  test('is whole without a width', () => {
    expect(table()).toEqual([
      'run  inputs                      status     details',
      'r1   file=the-list-of-today.csv  failed     match: too few matches to activate',
      'r2                               succeeded',
    ])
  })

  test('escapes what strangers put into a name', () => {
    const names = ['a\nb.csv', '\u001b[31mred.csv', 'a\u202efdc.csv']
    expect(renderTable([{ header: 'file', cell: (name) => name }], names, { style })).toEqual([
      'file',
      String.raw`a\nb.csv`,
      String.raw`\x1b[31mred.csv`,
      String.raw`a\u202efdc.csv`,
    ])
  })

  test.each([70, 60, 50, 45, 40, 30, 20])('fits %d columns', (width) => {
    for (const line of table(width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
  })

  test('cuts long columns before it leaves any out', () => {
    expect(table(50)).toEqual([
      'run  inputs            status     details',
      'r1   file=the-list-o…  failed     match: too few…',
      'r2                     succeeded',
    ])
    expect(table(30)).toEqual(['run  status     details', 'r1   failed     match: too fe…', 'r2   succeeded'])
    expect(table(20)).toEqual(['run  status', 'r1   failed', 'r2   succeeded'])
  })

  test('puts what has the most words below the rows before it cuts anything', () => {
    const below = columns.map((column) =>
      column.header === 'details' ? ({ ...column, min: undefined, drop: undefined, below: true } as const) : column,
    )
    const drawn = (width?: number) => renderTable(below, rows, { width, style })
    expect(drawn()).toEqual(table())
    expect(drawn(50)).toEqual([
      'run  inputs                      status',
      'r1   file=the-list-of-today.csv  failed',
      '  match: too few matches to activate',
      'r2                               succeeded',
    ])
    expect(drawn(30)).toEqual([
      'run  inputs          status',
      'r1   file=the-list…  failed',
      '  match: too few matches to a…',
      'r2                   succeeded',
    ])
  })

  test('has no column that is empty in every row', () => {
    expect(renderTable(columns, rows.slice(1), { style })).toEqual(['run  status', 'r2   succeeded'])
  })
})

test.each([
  ['plain', 10, 'plain'],
  ['plain text', 7, 'plain…'],
  ['日本語です', 6, '日本…'],
  ['ab', 1, '…'],
  ['ab', 0, ''],
])('%j in %d columns is %j', (text, columns, expected) => {
  expect(cut(text, columns)).toBe(expected)
})

test('lines are broken between words only', () => {
  expect(wrapWords('the service refused a_very_long_word here', 11)).toEqual([
    'the service',
    'refused',
    'a_very_long_word',
    'here',
  ])
  expect(wrapWords('+0.0 s  list  waiting,\nand more', 16)).toEqual(['+0.0 s  list', 'waiting, and', 'more'])
  expect(wrapWords('uploaded 3,000 rows in 0.1 s', 26)).toEqual(['uploaded 3,000 rows in', '0.1 s'])
})
