import { expect, test } from 'vitest'
import { copyProgress } from '../../../src/cli/views/copy-progress.ts'

/** The output of a copy of 3 s that reports its progress every 100 ms. */
function written(isTTY: boolean): string[] {
  let now = 0
  const texts: string[] = []
  const progress = copyProgress({ isTTY, write: (text) => texts.push(text) }, () => now)
  for (; now < 3000; now += 100) progress.show({ table: 'records', rows: now * 10 })
  progress.end()
  return texts
}

test('a copy that takes longer than a second shows on a terminal how far it is, five times a second', () => {
  const texts = written(true)
  expect(texts).toHaveLength(11)
  expect(texts[0]).toBe('\r\u001b[Kcopying records: 10,000 rows, 1.0 s')
  expect(texts.at(-1)).toBe('\r\u001b[K')
})

test('elsewhere it shows nothing', () => {
  expect(written(false)).toEqual([])
})
