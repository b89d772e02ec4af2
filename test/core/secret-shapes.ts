import fc from 'fast-check'

/**
 * A secret and its confidential parts; no long part of these may appear. The host of a URL and the names in JSON are
 * not confidential.
 */
export interface Shape {
  readonly secret: string
  readonly telling: readonly string[]
}

const own = (secret: string): Shape => ({ secret, telling: [secret] })
const base64Signs = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const tokens = (minLength: number, maxLength: number) => fc.string({ unit: base64Signs, minLength, maxLength })
const textOf = (signs: string, minLength = 6, maxLength = 30) =>
  fc.string({ unit: fc.constantFrom(...signs), minLength, maxLength })

const keys = fc
  .tuple(
    fc.constantFrom('PRIVATE KEY', 'RSA PRIVATE KEY', 'CERTIFICATE'),
    fc.array(tokens(64, 64), { minLength: 1, maxLength: 4 }),
    tokens(8, 60),
  )
  .map(([name, lines, last]): Shape => {
    const body = [...lines, last].join('\n')
    return { secret: `-----BEGIN ${name}-----\n${body}\n-----END ${name}-----\n`, telling: [body] }
  })

const keyFiles = fc
  .tuple(tokens(16, 40), keys, textOf('ab"\\/<é ', 12), fc.constantFrom(0, 2))
  .map(([id, key, note, indent]): Shape => {
    const data = { type: 'account', id, private_key: key.secret, nested: [{ note }] }
    return { secret: JSON.stringify(data, undefined, indent), telling: [id, ...key.telling, note] }
  })

const urls = fc
  .tuple(
    fc.constantFrom('https://hooks.example.org', 'postgres://robot:pa55-of-the-robot@db.example.org:5432'),
    tokens(16, 40),
    textOf('ab1-', 0, 8),
  )
  .map(([origin, key, word]): Shape => {
    const path = `/services/${word}/${key}?v=1`
    return { secret: origin + path, telling: [path, ...(origin.includes('@') ? ['robot:pa55-of-the-robot'] : [])] }
  })

/** Every usual kind of secret. */
const shapes: fc.Arbitrary<Shape> = fc.oneof(
  tokens(6, 11).map(own),
  tokens(12, 64).map(own),
  fc.tuple(tokens(20, 40), tokens(60, 120), tokens(43, 43)).map((parts) => own(parts.join('.'))),
  keys,
  keyFiles,
  urls,
  fc
    .array(fc.constantFrom('correct', 'horse', 'battery', 'staple', 'zwölf', 'Straße'), { minLength: 2, maxLength: 6 })
    .map((words) => own(words.join(' '))),
  textOf('aB3<>&"\'$%;=').map(own),
  textOf('a<b>/i &"\'`$(){}').map(own),
  textOf('aé\u00e4\u0061\u0308ñÅ\u212b漢字😀').map(own),
  textOf('aB3+/= %&\\"\'<>\n;#xu').map(own),
  fc.string({ unit: 'grapheme', minLength: 6, maxLength: 40 }).map(own),
)

/**
 * Several secrets at once, including sets of many secrets, secrets that begin with or contain another one, and secrets
 * that are half of another one.
 */
export const secretSets: fc.Arbitrary<readonly Shape[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(shapes, { minLength: 1, maxLength: 3 }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        shapes.filter(({ secret, telling }) => telling[0] === secret),
        tokens(6, 20),
      )
      .map(([shape, more]) => [shape, own(shape.secret + more), own(more + shape.secret)]),
  },
  { weight: 1, arbitrary: fc.array(tokens(8, 40).map(own), { minLength: 100, maxLength: 100 }) },
)
