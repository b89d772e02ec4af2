import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mayBeSamePerson } from '../../src/core/may-be-same-person.ts'

describe('two names may be those of one person', () => {
  test.each([
    ['ann', 'ann'],
    ['ann', 'Ann'],
    ['ann', ' ann '],
    ['ann', 'a\u200bn\u00adn'],
    ['ann', '\u202eann'],
    ['ann', 'ａｎｎ'],
    ['ann', 'ann@example.com'],
    ['ANN@EXAMPLE.COM', 'ann@example.com'],
    ['ann＠example.com', 'ann@example.com'],
    ['José', 'Jose\u0301'],
    ['straße', 'STRASSE'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['ﬁona', 'fiona'],
    ['the approver', 'The  Approver'],
  ])('%j and %j', (one, other) => {
    expect(mayBeSamePerson(one, other)).toBe(true)
    expect(mayBeSamePerson(other, one)).toBe(true)
  })

  test.each([
    ['ann', 'bob'],
    ['ann', 'anna'],
    ['ann@a.example', 'ann@b.example'],
    ['ann', 'bob@ann'],
    ['', 'ann'],
    ['ann', ''],
  ])('but not %j and %j', (one, other) => {
    expect(mayBeSamePerson(one, other)).toBe(false)
    expect(mayBeSamePerson(other, one)).toBe(false)
  })

  test('whatever form a name is written in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const)
          expect(mayBeSamePerson(name, name.normalize(form))).toBe(true)
        expect(mayBeSamePerson(name, name.toUpperCase())).toBe(true)
        expect(mayBeSamePerson(name, name.toLowerCase())).toBe(true)
      }),
    )
  })
})
