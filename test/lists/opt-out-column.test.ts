import { expect, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import type { CsvDialect } from '../../src/lists/csv-dialect.ts'
import { isAllowed, isOfManySql, optOutColumn, wrongFirst } from '../../src/lists/opt-out-column.ts'

const WRONG = { line: 1, why: 'line 1 is neither a key nor a header', rows: 0 }

test.each([
  [1, ['a@x.com', '<b>'], undefined],
  [2, ['<b>', 'a@x.com'], undefined],
  [1, ['<b>', 'a@x.com'], WRONG],
  [2, ['a@x.com', '<b>'], WRONG],
  [3, ['a@x.com', '<b>'], WRONG],
])('of keys in column %i the first record %j is judged by that column', (column, first, wrong) => {
  const dialect = { first, before: 0 } as unknown as CsvDialect
  expect(wrongFirst(dialect, { column, signal: 'EMAIL', allowed: ['EMAIL'], proof: 'configured' })).toEqual(wrong)
})

test('a first record that opens a quote is said to, not to be no key', () => {
  const dialect = { first: ['"a@x.com'], before: 0, open: 'quote' } as unknown as CsvDialect
  expect(wrongFirst(dialect, { column: 1, signal: 'EMAIL', allowed: ['EMAIL'], proof: 'unnamed' })).toEqual({
    ...WRONG,
    why: 'line 1 opens a quote and does not close it',
  })
})

test.each<[string, FileSignal, string[], string | undefined, number | undefined]>([
  ['names beside a header', 'EMAIL', ['Contact', '2026-01-01'], 'line 3 is neither a key nor a header', 1],
  ['names and blanks', 'EMAIL', ['Contact', ' '], undefined, undefined],
  ['an error beside ids', 'RECORD_ID', ['Not Found'], 'line 3 is neither a key nor a header', 1],
  ['a tag beside ids', 'RECORD_ID', ['<html>'], 'line 3 is neither a key nor a header', 1],
  ['an id', 'RECORD_ID', [' S1 '], undefined, undefined],
  ['the name of a column of ids', 'RECORD_ID', ['Record ID'], undefined, undefined],
])('a first record of %s: whether it is wrong, and is counted as a row besides', (_what, signal, first, why, rows) => {
  const wrong = wrongFirst({ first, before: 2 } as unknown as CsvDialect, {
    column: 1,
    signal,
    allowed: [signal],
    proof: 'configured',
  })
  expect(wrong).toEqual(why === undefined ? undefined : { line: 3, why, rows })
})

test.each([
  ['an address', ['email', 'a@x.test'], true],
  ['an address between other signs', ['email', 'Ann <a@x.test>'], true],
  ['half of a hash', ['email', `x ${'a1'.repeat(8)}`], true],
  ['fewer digits', ['email', 'a1'.repeat(7)], false],
  ['names alone', ['email', 'since'], false],
])('a header with %s', (_what, first, isWrong) => {
  const wrong = { line: 1, why: 'line 1 names columns, and one of its fields holds a key', rows: 1 }
  const optOut = { column: 'email', signal: 'EMAIL', allowed: ['EMAIL'], proof: 'header' } as const
  for (const column of [optOut, undefined])
    expect(wrongFirst({ first, before: 0 } as unknown as CsvDialect, column)).toEqual(isWrong ? wrong : undefined)
})

const ANY = ['IP', 'IDFA', 'EMAIL']

test.each<[FileSignal, string[], object | undefined]>([
  ['EMAIL', ['id', 'E-Mail'], { column: 'E-Mail', signal: 'EMAIL', allowed: ['EMAIL'], proof: 'header' }],
  ['ADDRESS', ['address'], { column: 'address', signal: 'ADDRESS', allowed: ['ADDRESS', 'EMAIL'], proof: 'header' }],
  ['EMAIL', ['ip', 'since'], undefined],
  ['IP', ['since'], { column: 1, signal: 'IP', allowed: [...ANY, 'IP'], proof: 'unnamed' }],
  ['RECORD_ID', ['since'], { column: 1, signal: 'EMAIL', allowed: ANY, proof: 'unnamed' }],
])('the column for %s of a file with %j', (signal, names, column) => {
  expect(optOutColumn(names, signal, undefined)).toEqual(column)
})

test('an entry of audience.yaml counts only for its signal, whatever the names of the columns are', () => {
  const entry = { column: 2, signal: 'EMAIL' } as const
  expect(optOutColumn(['email'], 'EMAIL', entry)).toEqual({ ...entry, allowed: ['EMAIL'], proof: 'configured' })
  expect(optOutColumn(['ip'], 'IP', entry)).toBeUndefined()
})

const DEVICE = '6d92078a-8246-4ba4-ae5b-76104861e7dc'

test.each<[string, FileSignal, string, boolean]>([
  ['a device among addresses', 'EMAIL', DEVICE, true],
  ['what may be the MD5 of an address', 'EMAIL', DEVICE.replaceAll('-', ''), false],
  ['a device without hyphens among devices', 'IDFA', DEVICE.replaceAll('-', ''), true],
  ['all of a domain', 'EMAIL', ' *@x.test', false],
  ['a sign behind the @', 'EMAIL', 'a@x*.test', false],
  ['an address', 'EMAIL', ' A@x.test', true],
  ['an IP address', 'EMAIL', '10.0.0.1', true],
  ['a sign before an @', 'ADDRESS', '*@x.test', true],
])('%s in a list for %s: %j', (_what, signal, field, isKey) => {
  expect(isAllowed({ signal, allowed: ['IP', 'IDFA', 'EMAIL', signal] }, field)).toBe(isKey)
})

test('only an address can stand for many: an id may have any sign', () => {
  expect(isOfManySql('EMAIL')).toContain('key')
  for (const signal of ['RECORD_ID', 'IP'] as const) expect(isOfManySql(signal)).toBe('false')
})
