import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isSameJson,
  type Json,
  JsonLimitError,
  MAX_JSON_DEPTH,
  parseForeignJson,
  parseJson,
  readExactJson,
  stringifyJson,
} from '../../src/core/json.ts'

test.each([
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740993', -9007199254740993n],
  ['9007199254740991', 9007199254740991],
  [
    '{"a":[12345678901234567890,1.5,"12345678901234567890"]}',
    { a: [12345678901234567890n, 1.5, '12345678901234567890'] },
  ],
  ['1e400', Number.POSITIVE_INFINITY],
])('%s is read exactly', (text, value) => {
  expect(parseJson(text)).toEqual(value)
})

test('what is written is read back, integers of any size included', () => {
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.maxSafeInteger(),
      fc.bigInt().filter((n) => !Number.isSafeInteger(Number(n))),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 3 },
    ),
  }))
  fc.assert(
    fc.property(values.value, (value) => {
      expect(parseJson(stringifyJson(value))).toEqual(value)
    }),
  )
})

/** JSON text as others write it: with white space and escapes, repeated names, and `__proto__` as a name. */
const written = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.constantFrom('', ' ', '\n\t'),
    fc.constantFrom('1', '-0', '0.5e-3', '1E400', 'true', 'null'),
  )
  .map(([json, space, plain]) => {
    const spaced = JSON.stringify(JSON.parse(json), undefined, space)
    const parts = [
      spaced,
      plain,
      '""',
      '"\\u0041\\\\\\""',
      '[ ]',
      `{${space}}`,
      `{"__proto__":${spaced},"a":1,"2":2,"a":[${plain}]}`,
    ]
    return `${space}[${parts.join(`${space},${space}`)}]${space}`
  })

function exactInteger(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value
}

test('text is read as the parser of V8 reads it', () => {
  fc.assert(
    fc.property(written, (text) => {
      const [own, theirs] = [readExactJson(text), JSON.parse(text, exactInteger)]
      expect(own).toEqual(theirs)
      expect(stringifyJson(own)).toBe(stringifyJson(theirs))
    }),
  )
})

test.each<[Json, Json, boolean]>([
  [1, 1n, true],
  [2n ** 53n + 1n, 2n ** 53n, false],
  ['1', 1, false],
  [null, null, true],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{ a: 1, b: [{ c: 2n }] }, { b: [{ c: 2 }], a: 1n }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [{ a: 1 }, { a: 1, b: undefined }, true],
])('values that read alike are the same, %#', (a, b, same) => {
  expect([isSameJson(a, b), isSameJson(b, a)]).toEqual([same, same])
})

/** JSON text with exactly this depth, and with all kinds of brackets in its strings. */
const nested = fc
  .record({
    levels: fc.array(fc.record({ isList: fc.boolean(), text: fc.string() }), { maxLength: MAX_JSON_DEPTH * 2 }),
    brackets: fc.array(fc.constantFrom('[', ']', '{', '}', '"', '\\', '\\"'), { maxLength: 300 }),
  })
  .map(({ levels, brackets }) => {
    const inner: unknown = brackets.join('')
    const value = levels.reduceRight(
      (rest, { isList, text }) => (isList ? [text, rest, text] : { [text]: rest, last: text }),
      inner,
    )
    return { depth: levels.length, value, text: JSON.stringify(value) }
  })

test('data from outside are read down to a depth, whatever their strings hold', () => {
  fc.assert(
    fc.property(nested, ({ depth, value, text }) => {
      if (depth > MAX_JSON_DEPTH) expect(() => parseForeignJson(text)).toThrow(JsonLimitError)
      else expect(parseForeignJson(text)).toEqual(value)
    }),
  )
})

test('broken text of any depth is a SyntaxError and nothing else', () => {
  const pieces = fc.constantFrom(
    '[',
    ']',
    '{"a":',
    '}',
    '"',
    '\\',
    '1',
    ',',
    '['.repeat(10_000),
    '{"a":'.repeat(10_000),
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (some) => {
      try {
        stringifyJson(parseForeignJson(some.join('')))
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError)
      }
    }),
  )
})
