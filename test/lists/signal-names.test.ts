import { expect, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import { isNameOf, mentions, signalOf } from '../../src/lists/signal-names.ts'

test.each<[string, FileSignal | undefined]>([
  ['E-Mail', 'EMAIL'],
  [' ｅｍａｉｌ ', 'EMAIL'],
  ['user.email', 'EMAIL'],
  ['contact[email]', 'EMAIL'],
  ['sha256_email_address', 'EMAIL'],
  ['Email Opt Out', undefined],
  ['Email Status', undefined],
  ['secondary_email', undefined],
  ['agent email', undefined],
  ['email_md5', undefined],
  ['mailing address', undefined],
  ['IP Address', 'IP'],
  ['ip_addr', 'IP'],
  ['zip', undefined],
  ['iOS Advertising ID', 'IDFA'],
  ['GAID', 'AAID'],
  ['Google Advertising ID', 'AAID'],
  ['set-top box id', 'STBID'],
  ['bgid', 'BGID'],
  ['partner record id', 'PARTNER_RECORD_ID'],
  ['hashed record id', undefined],
  ['id', undefined],
])('the signal of a column: %s is %s', (name, signal) => {
  expect(signalOf(name)).toBe(signal)
})

test('a column called address is for postal addresses only if these are looked for', () => {
  expect(isNameOf('Mailing Address', 'ADDRESS')).toBe(true)
  expect(isNameOf('Mailing Address', 'EMAIL')).toBe(false)
})

test.each<[string, FileSignal, boolean]>([
  ['email_md5', 'EMAIL', true],
  ['E-Mail Status', 'EMAIL', true],
  ['token', 'EMAIL', false],
  ['email_md5', 'IP', false],
])('a column called %s may have other hashes of keys of %s: %s', (name, signal, isIt) => {
  expect(mentions(name, signal)).toBe(isIt)
})
