import { expect, test } from 'vitest'
import { createSecrets } from '../../src/core/secrets.ts'

test('every secret is taken out of every text, also as it stands in JSON', () => {
  const secrets = createSecrets()
  secrets.add('s3cret-token')
  secrets.add('with "quotes" and \\')
  expect(secrets.redact('a s3cret-token, again s3cret-token')).toBe('a ***, again ***')
  expect(secrets.redact(JSON.stringify({ a: 'with "quotes" and \\' }))).toBe('{"a":"***"}')
})

test('what is too short to be a secret stays, so that texts stay readable', () => {
  const secrets = createSecrets()
  secrets.add('')
  secrets.add('true')
  expect(secrets.redact('it is true')).toBe('it is true')
})
