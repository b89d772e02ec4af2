import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from '../../src/core/secrets.ts'
import { anyCodePoint } from '../support/any-code-point.ts'
import { tries } from '../support/tries.ts'
import { broken, ENCODINGS, joined } from './secret-encodings.ts'

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

test.each([
  ['each character', /./gsu, ['tbn-u0041xb-fr0-vé', 'tokenx', 'a\\b\\tnr-and-more', 'a b\tc d e f', '😀😀😀']],
  ['each letter', /[a-z]/gi, ['tbn-u0041xb-fr0-v12', 'tokenx', '0123456789-abcdef0123456789']],
])('a backslash before %s hides no secret', (_, escaped, all) => {
  const secrets = createSecrets()
  for (const secret of all) {
    secrets.add(secret)
    const text = secret.replace(escaped, '\\$&')
    expect(secrets.redact(`"${text}"`)).toBe('"***"')
    expect(secrets.redact(`at C:\\temp\\new: ${text}!`)).toBe('at C:\\temp\\new: ***!')
    expect(secrets.redact(JSON.stringify({ error: text }))).toBe('{"error":"***"}')
    const percent = encodeURIComponent(secret).replace(/./g, '\\$&')
    expect(secrets.redact(`key=${percent}&`)).toBe('key=***&')
    expect(secrets.redact(`key=${encodeURIComponent(text)}&`)).toBe('key=***&')
  }
})

test.each(['<BR />', '<wbr>', '\x1b[1m'])('a break among backslashes hides no end of a secret: %j', (mark) => {
  const secrets = createSecrets()
  secrets.add('AAAAAAAAAA==')
  const escaped = Buffer.from('AAAAAAAAAA==').toString('base64').replace(/./g, '\\$&')
  for (let at = 0; at <= escaped.length; at += 2)
    expect(secrets.redact(`${escaped.slice(0, at)}${mark}${escaped.slice(at)}`)).toContain('***')
})

test('of tokens that are renewed, the last sixty are known', () => {
  const secrets = createSecrets()
  const tokens = Array.from({ length: 65 }, (_, index) => `token-${index}-of-ours`)
  for (const token of tokens) secrets.addRenewed(token)
  secrets.addRenewed(tokens[5] ?? '')
  secrets.addRenewed('token-65-of-ours')
  const shown = secrets.redact([...tokens, 'token-65-of-ours'].join())
  expect(shown.match(/\d+(?=-of-ours)/g)).toEqual(['0', '1', '2', '3', '4', '6'])
})

test('a number that holds a stretch of a secret is taken out of JSON, and an ordinary one stays', () => {
  const secrets = createSecrets()
  secrets.add('4716253849501627')
  const text = '{"a":471625384950,"b":71625384950,"c":[4716253849501627.5]}'
  expect(secrets.redact(text)).toBe('{"a":"***","b":71625384950,"c":["***"]}')
  expect(secrets.redactData(JSON.parse(text))).toEqual({ a: '***', b: 71625384950, c: ['***'] })
})

test('a secret that is a part of another does not keep the rest of that readable', () => {
  const secrets = createSecrets()
  secrets.add('secret')
  secrets.add('secret-and-more')
  expect(secrets.redact('a secret-and-more')).toBe('a ***')
})

test('a text in quotes is no JSON that has to stay JSON: its quotes may be those of a secret', () => {
  const secrets = createSecrets()
  secrets.add('aaaaa"')
  expect(secrets.redact('"a a a aa"')).toBe('"***')
})

test('JSON stays JSON where a number, or a part of the structure, is a secret', () => {
  const secrets = createSecrets()
  for (const secret of ['1234567', '"a":"b",', '{"type":"key","n":1}']) secrets.add(secret)
  expect(JSON.parse(secrets.redact('{"id":1234567,"at":91234567,"text":"of 1234567"}\n'))).toEqual({
    id: '***',
    at: 91234567,
    text: 'of ***',
  })
  expect(JSON.parse(secrets.redact('{"a":"b","c":9007199254740993}'))).toEqual({ a: 'b', c: 9007199254740992 })
  expect(secrets.redact('{"a":"b","c":9007199254740993}')).toContain('9007199254740993')
  expect(JSON.parse(secrets.redact('{"key":{"type":"key","n":1}}'))).toEqual({ key: { type: 'key', n: 1 } })
})

test('data lose secrets in texts, keys and numbers; data without any stay the same', () => {
  const secrets = createSecrets()
  secrets.add('s3cret-token')
  secrets.add('7654321')
  const clean = { a: [1, 'x', null, undefined, true], b: { c: 9007199254740993n } }
  expect(secrets.redactData(clean)).toBe(clean)
  expect(secrets.redactData({ 's3cret-token': ['a s3cret\ntoken', 'a s3cret-\ntoken', 7654321, 7654321n, 8] })).toEqual(
    {
      '***': ['a s3cret\ntoken', 'a ***', '***', '***', 8],
    },
  )
})

test('a secret of many lines is found in one line, and each of two that overlap', () => {
  const secrets = createSecrets()
  secrets.add('-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEF\n-----END KEY-----\n')
  secrets.add('abcdefgh')
  secrets.add('efghijkl')
  expect(secrets.redact('key -----BEGIN KEY-----MIIEvQIBADANBgkqhkiG9w0BAQEF-----END KEY----- there')).toBe(
    'key *** there',
  )
  expect(secrets.redact('<abcdefghijkl>')).toBe('<***>')
})

test('of a thousand secrets with one beginning, each is found', () => {
  const secrets = createSecrets()
  const all = Array.from({ length: 1000 }, (_, index) => `token-of-${'a'.repeat(index % 30)}-${index}!`)
  for (const secret of all) secrets.add(secret)
  expect(secrets.redact(all.join(' and '))).toBe(all.map(() => '***').join(' and '))
})

/** Decoding this text with any of the encodings, in any order, finds the secret. */
function isDecodable(text: string, secret: string, path: readonly string[]): boolean {
  const wanted = joined(secret)
  const holds = (read: string) => read.includes(secret) || (wanted.length >= 6 && joined(read).includes(wanted))
  const decoders = path.toReversed().flatMap((name) => ENCODINGS.find((encoding) => encoding.name === name) ?? [])
  let all = [text, joined(text)]
  if (all.some(holds)) return true
  for (const { decode } of decoders) {
    all = all.flatMap((read) => {
      try {
        const decoded = decode(read)
        return [decoded, joined(decoded)]
      } catch {
        return []
      }
    })
    if (all.some(holds)) return true
  }
  return false
}

/** Numbers from 0 to 1, determined by a seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return (state >>> 0) / 2 ** 32
  }
}

const NAMES = ENCODINGS.map(({ name }) => name)
const secretTexts = fc.oneof(
  fc.string({ unit: anyCodePoint, minLength: 6, maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 6, maxLength: 40 }),
  fc.base64String({ minLength: 8, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'aB3+/= %&\\"\'<>\n;#xu'), minLength: 6, maxLength: 20 }),
)

test('no secret can be read again, whatever encodings and breaks are around it', () => {
  fc.assert(
    fc.property(
      secretTexts.filter((text) => joined(text).length >= 6),
      fc.array(fc.constantFrom(...NAMES), { maxLength: 2 }),
      fc.constantFrom('none', 'before', 'after'),
      fc.integer(),
      fc.constantFrom('', 'said: ', 'the word ', '50% of ', 'a+b '),
      (secret, path, breaks, seed, before) => {
        const secrets = createSecrets()
        secrets.add('another-secret')
        secrets.add(secret)
        const random = randomFrom(seed)
        let text = breaks === 'before' ? broken(secret, random) : secret
        for (const name of path) text = ENCODINGS.find((encoding) => encoding.name === name)!.encode(text, random)
        if (breaks === 'after') text = broken(text, random)
        const said = `${before}${text} and more`
        for (const whole of [said, JSON.stringify({ said })]) {
          const shown = secrets.redact(whole)
          expect(shown).toContain('***')
          expect(isDecodable(shown, secret, path)).toBe(false)
          if (whole !== said) JSON.parse(shown)
        }
      },
    ),
    { numRuns: tries(400, 100_000) },
  )
})
