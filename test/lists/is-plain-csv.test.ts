import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvDialect, readRecord } from '../../src/lists/csv-dialect.ts'
import { isPlainCsv } from '../../src/lists/is-plain-csv.ts'
import { tempFolder } from '../support/temp-folder.ts'

const signal = new AbortController().signal

/** What it is said to be: every line is a whole record, and the line ends are alike. */
function isPlain(text: string, dialect: ReturnType<typeof csvDialect>): boolean {
  const ends = new Set(text.match(/\r\n|\n|\r/g))
  const lines = text.split(/\r\n|\n|\r/)
  return ends.size < 2 && lines.every((line) => readRecord(line, dialect, { state: 'field', at: 0 }).state === 'closed')
}

test('a file is plain exactly if each of its lines is a record', async () => {
  const path = join(tempFolder(), 'list.csv')
  const part = fc.constantFrom('a', ',', '"', '""', ' ', '\n', '\n', '\r\n', '\\', '"a"', '"a, b"', 'a@x.test,N\n')
  // The rows before show that the delimiter is a comma, and are enough to be read side by side.
  const rows = 'a@x.test,"N"\n'
  const text = fc.tuple(fc.array(part, { maxLength: 12 }), fc.nat(40), fc.nat(40))
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom('\n', '\r\n', '\r'), async ([parts, before, after], end) => {
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
