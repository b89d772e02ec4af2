import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from '../../src/core/secrets.ts'
import { isLong } from '../support/is-long.ts'
import { findsOf, readings, withoutHalfEscape } from './read-secrets.ts'
import { broken, ENCODINGS, joined } from './secret-encodings.ts'
import { secretSets } from './secret-shapes.ts'

/** How others change a secret before they repeat it. Only decoding Markdown can undo one of these changes. */
const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  none: (text) => text,
  'NFC, as a file system': (text) => text.normalize('NFC'),
  'NFD, as a file system': (text) => text.normalize('NFD'),
  'small letters, as a host': (text) => text.toLowerCase(),
  capitals: (text) => text.toUpperCase(),
  'quotes of CSV': (text) => text.replaceAll('"', '""'),
  'quotes of SQL and YAML': (text) => text.replaceAll("'", "''"),
  'quotes of a shell': (text) => text.replaceAll("'", "'\\''"),
  Markdown: (text) => text.replace(/[\\`*_{}[\]()#+.!|~<>-]/g, '\\$&'),
}

test('no more than 11 characters of a secret can be read again, whatever is done to it, and wherever it is cut', () => {
  let hidden = 0
  fc.assert(
    fc.property(
      secretSets,
      fc.constantFrom(...Object.keys(CHANGES)),
      fc.array(fc.constantFrom(...ENCODINGS.map(({ name }) => name)), { maxLength: 2 }),
      fc.constantFrom('none', 'before', 'after'),
      fc.constantFrom('', 'said: ', 'the word ', '50% of ', 'a+b ', '<p>', '"', '{"a":"', 'q=1&key='),
      fc.constantFrom('', ' and more', '</p>', '"', '"}', '…', '&x=1', '\n'),
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      fc.gen(),
      (set, change, encodings, breaks, before, after, [from, to], gen) => {
        // The backslashes of Markdown are an encoding, too, and two encodings are decoded.
        const path = change === 'Markdown' ? encodings.slice(1) : encodings
        const secrets = createSecrets()
        for (const { secret } of set) secrets.add(secret)
        const finds = findsOf(set.flatMap(({ telling }) => telling))
        const random = () => gen(fc.integer, { min: 0, max: 99 }) / 100
        const shape = set[Math.floor(random() * set.length)]!
        // A line, as a service quotes it, or the whole text.
        const lines = shape.secret.split('\n')
        const line = random() < 0.5 ? shape.secret : lines[Math.floor(random() * lines.length)]!
        let text = CHANGES[change]!(line.toWellFormed())
        if (breaks === 'before') text = broken(text, random)
        for (const name of path) text = ENCODINGS.find((encoding) => encoding.name === name)!.encode(text, random)
        if (breaks === 'after') text = broken(text, random)
        const whole = before + text + after
        const isCut = random() < 0.6
        const cut = isCut
          ? whole.slice(Math.floor(from * whole.length * 0.7), Math.ceil(whole.length * (0.3 + 0.7 * to)))
          : whole
        for (const said of [cut, JSON.stringify({ said: cut })]) {
          const shown = secrets.redact(said)
          if (shown !== said) hidden += 1
          const wrapped = said === cut ? [shown] : [(JSON.parse(shown) as { said: string }).said]
          let all: readonly string[] = isCut && path.length > 0 ? wrapped.map(withoutHalfEscape) : wrapped
          const seen = [...all]
          for (const name of path.toReversed()) {
            all = all
              .flatMap((read) => [...readings(read, name), ...readings(joined(read), name)])
              .map((read) => (isCut ? withoutHalfEscape(read) : read))
            seen.push(...all)
          }
          const found = seen.map(finds).find((stretch) => stretch !== undefined)
          expect(found, `${JSON.stringify(said)} became ${shown}`).toBeUndefined()
        }
      },
    ),
    { numRuns: isLong ? 100_000 : 300 },
  )
  expect(hidden).toBeGreaterThan(20)
})
