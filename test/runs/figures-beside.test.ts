import { expect, test } from 'vitest'
import { isFigure } from '../../src/runs/figures-beside.ts'

test.each([
  ['matchCount', true],
  ['rows', true],
  ['valid', true],
  ['paid', true],
  ['id', false],
  ['groupId', false],
  ['matchJobId', false],
  ['partner_id', false],
  ['partnerID', false],
  ['matchRequestor', false],
  ['approver', false],
])('%s is a figure: %s', (name, expected) => {
  expect(isFigure(name)).toBe(expected)
})
