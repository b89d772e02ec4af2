import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ByteSpan } from '../../src/core/byte-text.ts'
import { SHORTEST_STRETCH } from '../../src/core/hidden-texts.ts'
import { findSecrets } from '../../src/core/secret-spans.ts'
import { everywhere, secretTraces } from '../../src/core/secret-traces.ts'
import { textReading } from '../../src/core/text-reading.ts'
import { anyCodePoint } from '../support/any-code-point.ts'
import { tries } from '../support/tries.ts'
import { broken, ENCODINGS } from './secret-encodings.ts'

/** Every character that is in a span. */
function covered(text: string, spans: readonly ByteSpan[]): string {
  const signs = text.split('')
  for (const { from, to } of spans) signs.fill('\0', from, to)
  return signs.join('')
}

const secretTexts = fc.oneof(
  fc.string({ unit: anyCodePoint, minLength: 6, maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 6, maxLength: 30 }),
  fc.base64String({ minLength: 8, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'aB3+/= %&\\"\'<>\n;#xu'), minLength: 6, maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'ab0ä\u00a0€😀+'), minLength: 6, maxLength: 12 }),
)

/** Breaks between bytes, also within a character. */
const BREAKS = [' ', '\n', '\xc2\xa0', '\xe2\x80\x8b', '<br>', '<wbr title="\xff\xe4">', '\x1b[31m', '\x1b', '\x7f']

type Change = (text: string, chance: (share: number) => boolean, pick: <T>(all: readonly T[]) => T) => string

const onBytes =
  (write: (byte: string, ...rest: [Parameters<Change>[1], Parameters<Change>[2]]) => string): Change =>
  (text, chance, pick) =>
    Buffer.from(
      [...Buffer.from(text).toString('latin1')].map((byte) => write(byte, chance, pick)).join(''),
      'latin1',
    ).toString('base64')

const percentOf = (byte: string) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`

const CHANGES: readonly Change[] = [
  ...ENCODINGS.map(
    ({ encode }): Change =>
      (text, _, pick) =>
        encode(text, () => pick([0, 0.2, 0.4, 0.6, 0.8])),
  ),
  (text, _, pick) => broken(text, () => pick([0, 0.1, 0.3, 0.5, 0.7, 0.9])),
  // Base64 of bytes that are not text: broken or encoded in the middle of a character.
  onBytes((byte, chance, pick) => (chance(0.2) ? byte + pick(BREAKS) : byte)),
  onBytes((byte, chance) => (chance(0.3) ? percentOf(byte) : byte)),
  onBytes((byte, chance, pick) =>
    chance(0.2) ? byte + pick(['+', '%0a', '&nbsp;', '\\u200b', '&lt;br \xff&gt;']) : byte,
  ),
  // Nearly the secret.
  (text, _, pick) => {
    const at = pick([...text].map((__, index) => index).concat(0))
    return text.slice(0, at) + text.slice(at + 1)
  },
  (text) => text.slice(0, -1),
  (text) => JSON.stringify({ text, others: [1, 'x'] }),
  (text) => `${text.slice(0, 4)}.${text.slice(4)}`,
]

const around = fc.oneof(
  fc.constantFrom('', 'said: ', 'the word ', '50% of ', 'a+b ', '"', 'user:', '=', 'Müller ', '<b>'),
  fc.uuid(),
  fc.base64String({ maxLength: 100 }),
  fc.lorem({ maxCount: 12 }),
  fc.string({ unit: anyCodePoint, maxLength: 60 }),
)

test('what is found everywhere is found where there are traces of secrets', () => {
  let clean = 0
  let dirty = 0
  fc.assert(
    fc.property(
      fc.array(secretTexts, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.nat(), fc.array(fc.constantFrom(...CHANGES), { maxLength: 4 }), around), { maxLength: 3 }),
      around,
      fc.gen(),
      (secrets, said, end, gen) => {
        const pick = <T>(all: readonly T[]) => gen(fc.constantFrom<T[]>, ...all)
        const chance = (share: number) => gen(fc.nat, 99) < share * 100
        let text = ''
        for (const [index, changes, before] of said) {
          const secret = secrets[index % secrets.length]!
          text += before + changes.reduce((changed, change) => change(changed.toWellFormed(), chance, pick), secret)
        }
        text += end
        const found = findSecrets(secrets)(text)
        const wanted = findSecrets(secrets, () => everywhere)(text)
        if (wanted.length === 0) clean += 1
        else dirty += 1
        // Reading a part alone may find a little more than reading the whole, and never less.
        expect(covered(text, found)).toBe(covered(text, [...found, ...wanted]))
      },
    ),
    { numRuns: tries(400, 100_000) },
  )
  expect(clean).toBeGreaterThan(20)
  expect(dirty).toBeGreaterThan(20)
})

test.each([
  ['as it is', 'abcdefghijkl\xc3\xa4d\xe2\x82\xacf\xf0\x9f\x98\x80mnopqrstuvwxyz'],
  ['broken in a character', 'abcdefghijkl\xc3\n\xa4d\xe2\xc2\xa0\x82\xacf\xf0\x9f\x98 \x80mnopqrstuvwxyz'],
  ['with a plus in a character', 'abcdefghijkl\xc3+\xa4d\xe2\x82\xacf\xf0\x9f\x98\x80mnopqrstuvwxyz'],
  ['with a colour in a character', 'abcdefghijkl\xc3\x1b[31m\xa4d\xe2\x82\xacf\xf0\x9f\x98\x80mnopqrstuvwxyz'],
  ['with a tag that is no text', 'abcdefghijkl<br \xff>\xc3\xa4d\xe2\x82\xacf\xf0\x9f\x98\x80mnopqrstuvwxyz'],
  ['half of a character as in a URL', 'abcdefghijkl%c3\xa4d\xe2\x82\xacf\xf0\x9f\x98\x80mnopqrstuvwxyz'],
  [
    'half of a break as in a program',
    'abcdefghijkl\\x1b[31\xef\xbb\xbfm\xc3\xa4d\xe2\x82\xacf\xf0\x9f\x98\x80mnopqrstuvwxyz',
  ],
  ['with a tag as in HTML', 'abcdefghijkl&lt;br \xff>\xc3\xa4d\xe2\x82\xacf\xf0\x9f\x98\x80mnopqrstuvwxyz'],
  ['with a tag as in a program', 'abcdefghijkl\\x3cbr \xff>\xc3\xa4d\xe2\x82\xacf\xf0\x9f\x98\x80mnopqrstuvwxyz'],
])('base64 of a secret leaves traces: %s', (_, bytes) => {
  for (const before of ['', 'u', 'us']) {
    const text = Buffer.from(before + bytes, 'latin1').toString('base64')
    expect(findSecrets(['abcdefghijkläd€f😀mnopqrstuvwxyz'])(text)).not.toEqual([])
  }
})

test('a text that is nothing but a secret, or has a tag with breaks in it, has traces', () => {
  const find = findSecrets(['s3cret-token'])
  for (const text of ['s3cret-token', 's3cret<w\nbr\n>-token'])
    expect(covered(text, find(text))).toBe('\0'.repeat(text.length))
})

test('a break of several bytes with white space between them is one', () => {
  const text = Buffer.from('\xe2\x82\xac aa \xc2 \xa0 a a', 'latin1').toString('base64')
  expect(findSecrets(['€aa\u00a0aa'])(text)).not.toEqual([])
})

test('usual text leaves no traces', () => {
  const stretched = ['3ktq9-vb7xw2_mzp5lry8ncd', '/services/t0ab12/x9qf7']
  const traces = secretTraces([], stretched, textReading(stretched, SHORTEST_STRETCH))
  const usual = {
    runId: '0198f2c1-7c3a-7d11-9a55-3f0f7be0a1c2',
    at: '2026-11-25T14:00:00.000Z',
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    message:
      'the step "match" took 12 seconds, and 50 % of the list is known: see https://example.org/runs?page=1&size=20',
    name: 'Jürgen Müller',
  }
  const bytes = Buffer.from(JSON.stringify(usual)).toString('latin1')
  expect([traces.plain(bytes), traces.base64(bytes)]).toEqual([[], []])
  expect(everywhere.plain('ab')).toEqual([{ from: 0, to: 2 }])
})
