import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SHORTEST_SECRET, SHORTEST_STRETCH } from '../../src/core/hidden-texts.ts'
import { createSecrets } from '../../src/core/secrets.ts'
import { isLong } from '../support/is-long.ts'
import { broken, ENCODINGS, joined } from './secret-encodings.ts'
import { secretSets } from './secret-shapes.ts'

/** What others do to a secret before they repeat it, which no decoding undoes. */
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
const COMMON = (text: string) => joined(text).toLowerCase()

/** Whether one who reads this finds the telling text, if it is short, or a stretch of it. */
function shows(read: string, telling: string): boolean {
  const found = COMMON(read)
  return [telling, telling.normalize('NFC'), telling.normalize('NFD')].map(COMMON).some((text) => {
    const signs = [...text]
    if (signs.length <= SHORTEST_STRETCH) return signs.length >= SHORTEST_SECRET && found.includes(text)
    return signs.some((_, at) => {
      const stretch = signs.slice(at, at + SHORTEST_STRETCH)
      return stretch.length === SHORTEST_STRETCH && found.includes(stretch.join(''))
    })
  })
}

/** Decodes also what a cut has damaged. */
function readings(text: string, name: string): readonly string[] {
  const { decode } = ENCODINGS.find((encoding) => encoding.name === name)!
  const tried = (part: string) => {
    try {
      return [decode(part)]
    } catch {
      return []
    }
  }
  if (name.startsWith('base64'))
    return [...text.matchAll(/[\w+/-]{8,}/g)].flatMap(([run]) =>
      [0, 1, 2, 3].flatMap((phase) => tried(run.slice(phase))),
    )
  if (!/JSON|XXXX/.test(name)) return tried(text)
  // Between masks, without an escape that is cut.
  return text.split('***').flatMap((part) => {
    const whole = part.replace(/^[0-9a-f]{0,3}(?=\\u)/i, '').replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')
    return [...tried(whole), ...tried(whole.replace(/(?<!\\)"/g, '\\"'))]
  })
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
      (set, change, path, breaks, before, after, [from, to], gen) => {
        const secrets = createSecrets()
        for (const { secret } of set) secrets.add(secret)
        const random = () => gen(fc.integer, { min: 0, max: 99 }) / 100
        const shape = set[Math.floor(random() * set.length)]!
        // A line, as a service quotes it, or all.
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
          let all: readonly string[] = wrapped
          const seen = [...all]
          for (const name of path.toReversed()) {
            all = all.flatMap((read) => [...readings(read, name), ...readings(joined(read), name)])
            seen.push(...all)
          }
          for (const { telling } of set)
            for (const text of telling)
              expect(
                seen.find((read) => shows(read, text)),
                `${JSON.stringify(said)} became ${shown}`,
              ).toBeUndefined()
        }
      },
    ),
    { numRuns: isLong ? 100_000 : 1500 },
  )
  expect(hidden).toBeGreaterThan(100)
})
