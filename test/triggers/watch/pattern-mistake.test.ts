import { expect, test } from 'vitest'
import { patternMistake } from '../../../src/triggers/watch/pattern-mistake.ts'

test.each<[pattern: string, repair: string]>([
  ['*.csv,*.txt', '"*.{csv,txt}"'],
  ['*.csv|*.txt', '"*.{csv,txt}"'],
  ['*.csv; *.txt', '"*.{csv,txt}"'],
  ['*.csv *.txt', '"*.{csv,txt}"'],
  ['a.csv|b*.txt', '"{a.csv,b*.txt}"'],
  ['(a|b).csv', 'braces'],
  ['{a, b}.csv', '"{a,b}.csv"'],
  ['{a,{b,c}}.csv', 'such as "*.{csv,txt}"'],
  ['*.{csv,txt', 'such as "*.{csv,txt}"'],
  ['[abc.csv', 'such as "*.{csv,txt}"'],
  ['.*\\.csv', 'write "*.csv"'],
  ['^list.*$', 'write "*.csv"'],
  ['.csv', '"*.csv"'],
  ['*.csv ', '"*.csv"'],
  ['*.csv\u200b', '"*.csv"'],
  ['*.csv.done', '"*.csv"'],
])('%j fits no file that is meant, and the repair is told', (pattern, repair) => {
  expect(patternMistake(pattern)?.repair).toContain(repair)
})

test.each([
  '{a,b}.csv',
  '*.{csv,txt}',
  'a,b.csv',
  'Fox, Ann *.csv',
  'report *.csv',
  '[!a-z]*.csv',
  'list.*',
  '*',
  'a-{1,2}_[0-9].csv.gz',
])('%j is a pattern', (pattern) => {
  expect(patternMistake(pattern)).toBeUndefined()
})
