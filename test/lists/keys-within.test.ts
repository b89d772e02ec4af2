import { expect, test } from 'vitest'
import { isKeyOf } from '../../src/contract/signal-key.ts'
import { ADDRESS_IN_TEXT } from '../../src/lists/keys-within.ts'

// The forms that docs/privacy.md names. Forms that the other columns of an opt-out file may contain are refused in the
// column that is read.

test.each([
  ...['ann@x.com', 'ann @ x.com', 'ann\n@\nx.com', 'ann%40x.com', 'ann&#64;x.com', 'ann@x%2Ecom', 'ann＠x．com'],
  ...[String.raw`ann\@x.com`, String.raw`\a\n\n\@\x\.\c\o\m`, String.raw`ann\u0040x.com`],
  ...['ann&nbsp;@&nbsp;x.com', String.raw`ann\u0020@\u0020x.com`, String.raw`ann\n@\nx.com`],
])('an address is found in %j', (text) => {
  expect(ADDRESS_IN_TEXT.test(`asked by ${text}, on the phone`)).toBe(true)
})

test.each([
  ...['ann@x .com', 'ann@x. com', 'ann@ex\nample.com', 'a n n @ x . c o m', 'ann at x dot com'],
  ...[String.raw`ann\ @\ x.com`, 'ann%20@%20x.com', 'ann%20%40%20x.com'],
  ...['ann@x&#46;com', String.raw`ann@x\u002ecom`, String.raw`ann\x40x.com`, 'ann=40x.com'],
])('a limit: no address is found in %j, which is no key either', (text) => {
  expect(ADDRESS_IN_TEXT.test(text)).toBe(false)
  expect(isKeyOf('EMAIL', text)).toBe(false)
})
