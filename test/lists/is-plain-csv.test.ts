import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvDialect, readRecord } from '../../src/lists/csv-dialect.ts'
import { isPlainCsv } from '../../src/lists/is-plain-csv.ts'
import { tempFolder } from '../support/temp-folder.ts'

const signal = new AbortController().signal

/** The promise: every line is a whole record, and all line ends are equal. */
function isPlain(text: string, dialect: ReturnType<typeof csvDialect>): boolean {
  const ends = new Set(text.match(/\r\n|\n|\r/g))
  const lines = text.split(/\r\n|\n|\r/)
  return ends.size < 2 && lines.every((line) => readRecord(line, dialect, { state: 'field', at: 0 }).state === 'closed')
}

const part = fc.constantFrom('a', ',', '"', '""', ' ', '\n', '\n', '\r\n', '\\', '"a"', '"a, b"', 'a@x.test,N\n')
const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
/** Larger than a chunk. */
const LARGE = 5 << 18

test('a file is plain if and only if each of its lines is a record', async () => {
  const path = join(tempFolder(), 'list.csv')
  // The rows before show that the delimiter is a comma, and are enough for parallel reading.
  const rows = 'a@x.test,"N"\n'
  const text = fc.tuple(fc.array(part, { maxLength: 12 }), fc.nat(40), fc.nat(40))
  await fc.assert(
    fc.asyncProperty(text, lineEnd, async ([parts, before, after], end) => {
      const given = (
        rows.repeat(before + 1) +
        parts.join('') +
        (after > 20 ? `\n${rows.repeat(after)}` : '')
      ).replaceAll('\n', end)
      writeFileSync(path, before % 2 === 0 ? given : `\ufeff${given}`)
      const dialect = { ...csvDialect('a,b\n'), escapeMark: parts.includes('\\') ? '\\' : '"' }
      expect(await isPlainCsv(path, dialect, signal), JSON.stringify(given)).toBe(isPlain(given, dialect))
    }),
    { numRuns: 500 },
  )
})

test('a large file, which is read in chunks and at four places at once, is judged like a small one', async () => {
  const path = join(tempFolder(), 'list.csv')
  const row = fc.constantFrom('a@x.test,N\n', '"a@x.test","N"\n', '"a@x.test", "N, ""M"""\n', '\u00fc,N\n')
  const place = fc.integer({ min: 0, max: LARGE })
  await fc.assert(
    fc.asyncProperty(row, fc.array(part, { maxLength: 6 }), place, lineEnd, async (rows, parts, at, end) => {
      const count = Math.floor(at / rows.length)
      const given = (before: number, after: number) =>
        `${rows.repeat(before)}${parts.join('')}\n${rows.repeat(after)}`.replaceAll('\n', end)
      writeFileSync(path, given(count, LARGE / rows.length - count))
      const dialect = csvDialect('a,b\n')
      expect(await isPlainCsv(path, dialect, signal), `${at} ${JSON.stringify(given(1, 1))}`).toBe(
        isPlain(given(1, 1), dialect),
      )
    }),
    { numRuns: 25 },
  )
})

test('a byte order mark before a quote is recognised where two chunks meet', async () => {
  const path = join(tempFolder(), 'list.csv')
  const row = '"p1@x.test","N"\n'
  for (const into of [0, 1, 2, 3, 4]) {
    const rows = row.repeat(Math.floor(((1 << 20) - 20) / row.length))
    const filler = `${'a'.repeat((1 << 20) - rows.length - 1 - into)}\n`
    writeFileSync(path, `${rows}${filler}\ufeff${row}${row}`)
    expect(await isPlainCsv(path, csvDialect('a,b\n'), signal), `${into} bytes`).toBe(false)
    writeFileSync(path, `${rows}${filler}${row}${row}`)
    expect(await isPlainCsv(path, csvDialect('a,b\n'), signal), `${into} bytes`).toBe(true)
  }
})

test('a long file is plain only if all its line ends are the same', async () => {
  const path = join(tempFolder(), 'list.csv')
  // Exactly as long as one read.
  const [rows, others] = ['person@x.test,N\n', 'perso@x.test,N\r\n'].map((row) => row.repeat(65_536)) as [
    string,
    string,
  ]
  const dialect = csvDialect('a,b\n')
  for (const [text, isIt] of [
    [rows + rows, true],
    [others + others, true],
    [rows + others, false],
    [others + rows, false],
  ] as const) {
    writeFileSync(path, text)
    expect(await isPlainCsv(path, dialect, signal)).toBe(isIt)
  }
})

test('a quote that is open where a chunk ends hides the lines of the next one', async () => {
  const path = join(tempFolder(), 'list.csv')
  const row = 'a@x.test,N\n'
  const rows = row.repeat(Math.floor((1 << 20) / row.length) - 1)
  const dialect = csvDialect('a,b\n')
  for (const [quote, isIt] of [
    ['"', false],
    ['n', true],
  ] as const) {
    writeFileSync(path, `${rows}${`b@x.test,${quote}`.padEnd((1 << 20) - rows.length, 'n')}\n${row}${row}`)
    expect(await isPlainCsv(path, dialect, signal)).toBe(isIt)
  }
})
