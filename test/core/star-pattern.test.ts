import { expect, test } from 'vitest'
import { starOf, whyNoStarPattern } from '../../src/core/star-pattern.ts'

test.each([
  ['a_*.csv', 'a_0412.csv', '0412'],
  ['a_*.csv', 'a_.csv', undefined],
  ['a_*.csv', 'b_1.csv', undefined],
  ['a*a', 'a', undefined],
  ['*.done', '.x.done', undefined],
  ['*', 'x', 'x'],
])('of %s and %s, * stands for %s', (pattern, name, star) => {
  expect(starOf(pattern, name)).toBe(star)
})

test.each(['a.csv', '*_*.csv', 'a_*.{csv,txt}', 'in/*.csv', 'a_?*.csv', ''])('%s is no pattern of a set', (pattern) => {
  expect(whyNoStarPattern(pattern)).toBeDefined()
})
