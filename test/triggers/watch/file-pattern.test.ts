import { expect, test } from 'vitest'
import { filePattern } from '../../../src/triggers/watch/file-pattern.ts'

test.each<[string, readonly string[], readonly string[]]>([
  ['*.csv', ['a.csv', 'ä b.csv', 'a.b.csv'], ['a.CSV', 'a.csv.tmp', 'csv', '.a.csv', '.csv']],
  ['*', ['a', 'a.csv'], ['.a']],
  ['.*', [], ['.a', 'a']],
  ['day-??.csv', ['day-01.csv', 'day-é😀.csv'], ['day-1.csv', 'day-001.csv']],
  ['[a-c]*.{csv,tsv}', ['a.csv', 'cc.tsv'], ['d.csv', 'a.txt', '].csv']],
  ['[!a-c].csv', ['d.csv', '^.csv'], ['a.csv']],
  ['a+(b).csv', ['a+(b).csv'], ['aab.csv']],
  ['[].csv', ['[].csv'], ['a.csv']],
  ['{a,b*}-[0-9].csv', ['a-1.csv', 'bcd-2.csv'], ['c-1.csv', 'a-x.csv']],
])('%s', (pattern, matching, others) => {
  const matches = filePattern(pattern)
  expect(matching.filter((name) => !matches(name))).toEqual([])
  expect(others.filter((name) => matches(name))).toEqual([])
})
