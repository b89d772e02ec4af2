import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FILE_SIGNALS } from '../../src/contract/enumerations.ts'
import { normaliseKey } from '../../src/contract/normalise-key.ts'
import { isKeyOf } from '../../src/contract/signal-key.ts'

const field = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.emailAddress(),
  fc.ipV4(),
  fc.ipV6(),
  fc.uuid(),
  fc.stringMatching(/^[ \t\u00a0]?[0-9A-Fa-f]{32,64}[ \t]?$/),
  fc.stringMatching(/^[0-9a-f:.%]{1,20}$/),
  fc.stringMatching(/^0{8}-?0{4}-?0{4}-?0{4}-?0{12}$/),
  fc.constantFrom(
    '',
    ' ',
    '\u00a0',
    'a@b',
    'a@b@c',
    'a b@c',
    'e\u0301@b.c',
    'a\u037e@b.c',
    '<\u0338@b.c',
    '\u037e',
    '::1',
    '1.2.3',
    '::ffff:1.2.3.4',
    'fe80::1%eth0',
    '01.2.3.4',
    '\0',
    '-.-',
    '\u200b',
    '\ufeffa@b.c\u3000',
    '\u20031.2.3.4\u00ad',
    'smtp:a@b.c',
    '(a@b.c)',
    'a@b.c.',
    "'a@b.c'",
  ),
)

test.each(FILE_SIGNALS)('a field is a key of %s exactly where the service takes it', (signal) => {
  fc.assert(
    fc.property(field, (text) => {
      expect(isKeyOf(signal, text)).toBe(normaliseKey(signal, text) !== undefined)
    }),
    { numRuns: 500 },
  )
})
