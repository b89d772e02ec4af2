import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOfFile } from '../../src/lists/copy-records.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const CHUNK = 1 << 16
const KEPT = 1 << 22
const LONG = 'x'.repeat(KEPT)

test('the line ends of a file define its lines, and only the beginning of an endless line is read', async () => {
  const folder = tempFolder()
  const file = join(folder, 'lines')
  const part = fc.oneof(
    fc.constantFrom('', 'a', 'bc', '\r', 'x'.repeat(CHUNK - 1), 'x'.repeat(CHUNK), LONG),
    fc.integer({ min: 0, max: 3 }).map((less) => 'y'.repeat(CHUNK - less)),
  )
  const text = fc.array(fc.tuple(part, fc.constantFrom('\n', '\r', '\r\n', '')), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const content = parts.flat().join('')
      writeFileSync(file, content, 'latin1')
      const lines = (await Array.fromAsync(linesOfFile(file, new AbortController().signal))).flat()
      const expected = content.split(/\r\n|\n|\r/)
      if (expected.at(-1) === '') expected.pop()
      expect(lines.length).toBe(expected.length)
      for (const [index, line] of lines.entries()) {
        const whole = expected[index] ?? ''
        expect(whole.startsWith(line)).toBe(true)
        expect(line.length).toBeGreaterThanOrEqual(Math.min(whole.length, KEPT))
        expect(line.length).toBeLessThan(KEPT + 2 * CHUNK)
      }
    }),
    { numRuns: 60 },
  )
})

test('a line of many megabytes is a bad row, whatever is before and after it, and takes no memory', async () => {
  const before = process.memoryUsage().rss
  const line = 'y'.repeat(100_000_000)
  for (const end of ['\n', '\r\n']) {
    const good = ['email,name', 'ann@example.com,1', 'cia@example.com,2', 'dan@example.com,3']
    const rows = [...good, '"eve@example.com,4', line, 'bob@example.com,5', ''].join(end)
    expect(await listBench().prepare(rows, { column: 'email' })).toMatchObject({ keys: 4, bad: 2 })
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(700_000_000)
})

test('a line of more than two million bytes is a bad row', async () => {
  const lines = [2_000_000, 2_100_000].map((bytes) => `p${bytes}@example.com,`.padEnd(bytes, 'y'))
  const made = listBench().prepare(['email,name', ...lines, 'ann@example.com,1', ''].join('\n'), { column: 'email' })
  await expect(made).resolves.toMatchObject({ keys: 2, bad: 1 })
})
