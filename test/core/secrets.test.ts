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

test('a secret is taken out in every form in which it may come back', () => {
  const secret = 'p+/ä"=\\ &%~(ü)x'
  const secrets = createSecrets()
  secrets.add(secret)
  const json = JSON.stringify(secret)
  const url = encodeURIComponent(secret)
  const forms = [
    secret,
    json.slice(1, -1),
    json.slice(1, -1).replaceAll('/', '\\/'),
    JSON.stringify(json).slice(3, -3),
    url,
    url.replace(/%../g, (escaped) => escaped.toLowerCase()),
    new URLSearchParams({ a: secret }).toString().slice(2),
  ]
  expect(forms.map((form) => secrets.redact(`<${form}>`))).toEqual(forms.map(() => '<***>'))
  for (const before of ['', 'u', 'us', 'user:']) {
    for (const after of ['', 'a', 'ab']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const redacted = secrets.redact(Buffer.from(before + secret + after).toString(encoding))
        expect(redacted).toContain('***')
        expect(Buffer.from(redacted.replace('***', ''), 'base64').length).toBeLessThan(before.length + after.length + 5)
      }
    }
  }
})

test('a secret that is a part of another does not keep the rest of that readable', () => {
  const secrets = createSecrets()
  secrets.add('secret')
  secrets.add('secret-and-more')
  expect(secrets.redact('a secret-and-more')).toBe('a ***')
})
