import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SEGMENT_SIGNALS, type Signal } from '../../src/contract/enumerations.ts'
import { loweredText, normaliseKey, upperedText } from '../../src/contract/normalise-key.ts'
import { normaliseSql } from '../../src/contract/normalise-sql.ts'
import { firstFieldOf } from '../../src/contract/signal-key.ts'
import { trimmedText, visibleText } from '../../src/contract/visible-text.ts'
import { literal } from '../../src/platform/sql-text.ts'
import { utcDaySql } from '../../src/service/matching/build-segment.ts'
import { firstFieldSql } from '../../src/service/matching/segment-file.ts'
import { openPeopleDatabase, type PeopleDatabase } from '../../src/service/population/database.ts'
import { anyCodePoint } from '../support/any-code-point.ts'
import { isLong } from '../support/is-long.ts'
import { tries } from '../support/tries.ts'

/** Addresses with text around them that does not belong to them. */
const NO_ADDRESSES = [
  ...['smtp:p1@x.test', 'mailto:p1@x.test', '(p1@x.test)', '<p1@x.test>', '[p1@x.test]', '{p1@x.test}', '"p1@x.test"'],
  ...["'p1@x.test'", '`p1@x.test`', '“p1@x.test”', '‘p1@x.test’', '«p1@x.test»', "'p1@x.test", "p1@x.test'"],
  ...['p1@x.test.', 'p1@x.test;', 'p1@x.test,', 'p1@x.test:', 'p1@x.test>', 'p1@x.test)', 'p1@x.test!', 'p1@x.test…'],
  ...[
    '.p1@x.test',
    'p1@.x.test',
    'p1@x..test',
    'p1@-x.test',
    'p1@x.test-',
    'p1@',
    '@x.test',
    'p1@x',
    'p1@@x.test',
    'p1@x@y.test',
    'p1＠x.test',
    'p1@x。test',
  ],
  ...['Pat One <p1@x.test>', 'p1@x.test p2@x.test', 'p1@x.test\u2003p2@x.test', 'p1@x.test\u0000', 'p\ufffd1@x.test'],
]

let dir: string
let database: PeopleDatabase

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'normalise-'))
  database = await openPeopleDatabase({ tempDir: join(dir, 'tmp'), threads: 1, memoryLimit: '500MB' })
})
afterAll(async () => {
  await database.close()
  await rm(dir, { recursive: true })
})

const HASH = 'ab'.repeat(32)
/** All characters, 256 at a time. */
const BLOCKS = Array.from({ length: 0x1100 }, (_, block) => block)
  .filter((block) => block < 0xd8 || block > 0xdf)
  .map((block) => Array.from({ length: 0x100 }, (_, code) => String.fromCodePoint(block * 0x100 + code)))
/** The keys differ each time. The seed is in the test's name, so it is shown however the test fails. */
const SEED = Date.now() % 1_000_000
/** A difference in one key of 5,000 is found in 86 of 100 runs, and the keys differ each time. */
const KEYS = tries(10_000, 100_000)

describe('what a key is looked up as ("Matching (S)")', () => {
  test.each<[Signal, string, string | undefined]>([
    ['EMAIL', ' \tAmber.Fox@Example.COM\u00a0', 'amber.fox@example.com'],
    ['EMAIL', 'ÉLAN@example.com', 'élan@example.com'],
    ['EMAIL', HASH.toUpperCase(), HASH],
    ['EMAIL', 'not an e-mail', undefined],
    ['EMAIL', 'two@at@example.com', undefined],
    ['EMAIL', '', undefined],
    ['EMAIL', '\u200bp1@\u200dx.te\u00adst\u2060', 'p1@x.test'],
    ['EMAIL', '\ufeffp1@x.test', 'p1@x.test'],
    ['EMAIL', '\u202ap1@x.test\u202c', 'p1@x.test'],
    ['EMAIL', '\u200e\u2003 \u200fP1@x.test\u3000\u202f\u200b', 'p1@x.test'],
    ['EMAIL', 'p1\u2003@x.test', undefined],
    ['EMAIL', `\u00ad${HASH.toUpperCase()}\u2007`, HASH],
    ...NO_ADDRESSES.map((text): [Signal, string, undefined] => ['EMAIL', text, undefined]),
    ['EMAIL', "o'Brien+a.b_c-d/e=f@mail.x-y.co.test", "o'brien+a.b_c-d/e=f@mail.x-y.co.test"],
    ['EMAIL', 'double..dots.@docomo.example', 'double..dots.@docomo.example'],
    ['EMAIL', 'jose\u0301@x.test', 'jos\u00e9@x.test'],
    ['EMAIL', 'JOSE\u0301@X.test', 'jos\u00e9@x.test'],
    ['EMAIL', 'p1@mu\u0308nchen.test', 'p1@xn--mnchen-3ya.test'],
    ['EMAIL', 'jos\u00e9@x.test\u0000', undefined],
    // A Greek question mark is a semicolon, and a Kelvin sign a K.
    ['EMAIL', 'p1\u037e@x.test', undefined],
    ['EMAIL', 'p1\u212a@x.test', 'p1k@x.test'],
    ['EMAIL', '用户@例え.テスト', '用户@xn--r8jz45g.xn--zckzah'],
    ...(
      [
        ['ann@bücher.de', 'ann@xn--bcher-kva.de'],
        ['Ann@BÜCHER.DE', 'ann@xn--bcher-kva.de'],
        ['ANN@XN--BCHER-KVA.DE', 'ann@xn--bcher-kva.de'],
        ['ann@ｂücher．de', undefined],
        ['ann@faß.de', 'ann@xn--fa-hia.de'],
        ['ann@FASS.de', 'ann@fass.de'],
        ['ann@xn--zz--z.test', 'ann@xn--zz--z.test'],
        ['ann@\u0378.test', undefined],
        ['ü@1.2.3.4', 'ü@1.2.3.4'],
        ['ａｎｎ.１@ｅxample.com', 'ann.1@example.com'],
        ['ΣΑΣ@x.test', 'σασ@x.test'],
        ['σας@x.test', 'σασ@x.test'],
        ['İSMAIL@x.test', 'ismail@x.test'],
        ['i\u0307smail@x.test', 'ismail@x.test'],
        ['ısmail@x.test', 'ısmail@x.test'],
        ['GROẞ@x.test', 'groß@x.test'],
        ['gross@x.test', 'gross@x.test'],
        ['ﬁn@x.test', 'fin@x.test'],
        ['٣@x.test', '٣@x.test'],
        [`sha256:${HASH}`, undefined],
        [`0x${HASH}`, undefined],
        [HASH.replaceAll('a', 'ａ'), undefined],
      ] as const
    ).map(([field, key]): [Signal, string, string | undefined] => ['EMAIL', field, key]),
    ['ADDRESS', '１２ Ｈｉｌｌ Ｒｄ．', '12 HILL RD'],
    ['ADDRESS', 'İstanbul ıstanbul', 'ISTANBUL ISTANBUL'],
    ['ADDRESS', 'Οδός ΟΔΟΣ', 'ΟΔΌΣ ΟΔΟΣ'],
    ['IP', '１０.0.0.1', undefined],
    ['IP', '١٠.٠.٠.١', undefined],
    ['ZIPCODE', '１0001', undefined],
    ['RECORD_ID', '+49 (30) 12-34', '+49 (30) 12-34'],
    ['RECORD_ID', '１', '１'],
    ['IDFA', '6D92078A-8246-4BA4-AE5B-76104861E7DC', '6d92078a-8246-4ba4-ae5b-76104861e7dc'],
    ['AAID', '6d92078a82464ba4ae5b76104861e7dc', '6d92078a-8246-4ba4-ae5b-76104861e7dc'],
    ['STBID', ` ${HASH} `, HASH],
    ['IDFA', '00000000-0000-0000-0000-000000000000', undefined],
    ['IDFA', '6d92078a', undefined],
    ['IDFA', '\ufeff6d92078a-8246-4ba4-\u00adae5b-76104861e7dc\u3000', '6d92078a-8246-4ba4-ae5b-76104861e7dc'],
    ['AAID', '(6d92078a-8246-4ba4-ae5b-76104861e7dc)', undefined],
    ['IP', '\u200b10.0.\u00ad0.1\u2003', '10.0.0.1'],
    ['IP', '10.0.0.1.', undefined],
    ['IP', '(10.0.0.1)', undefined],
    ['ZIPCODE', '\ufeff10001\u200b\u3000', '10001'],
    ['IP', ' 10.0.0.1 ', '10.0.0.1'],
    ['IP', '10.0.0.01', undefined],
    ['IP', '10.0.0.256', undefined],
    ['IP', '2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['IP', '2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['IP', '2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['IP', '::', '::'],
    ['IP', '::1', '::1'],
    ['IP', '1::', '1::'],
    ['IP', '::ffff:10.0.0.1', '10.0.0.1'],
    ['IP', '::FFFF:0a00:0001', '10.0.0.1'],
    ['IP', '64:ff9b::10.0.0.1', '64:ff9b::a00:1'],
    ['IP', '1:2:3:4:5:6:7::8', undefined],
    ['IP', '1::2::3', undefined],
    ['IP', '::f10.0.0.1', undefined],
    ['IP', 'fe80::1%eth0', undefined],
    ['ADDRESS', ' 12,  Amber-Hill   Rd.\t10001 ', '12 AMBER HILL RD 10001'],
    ['ADDRESS', '12 Straße é', '12 STRASSE É'],
    ['ADDRESS', '12 Rue de l\u2019E\u0301lan\u037e', '12 RUE DE L\u2019\u00c9LAN'],
    ['ADDRESS', 'Cafe\u0301\u0000 1\u0000x', 'CAF\u00c9 1 X'],
    ['ADDRESS', 'Cafe\u0301 1', 'CAF\u00c9 1'],
    ['RECORD_ID', 'e\u0301', 'e\u0301'],
    ['ADDRESS', HASH.toUpperCase(), HASH],
    ['ADDRESS', ' ., ', undefined],
    ['ADDRESS', '\u200b12\u3000Am\u00adber\u2003Hill\ufeff', '12 AMBER HILL'],
    ['ADDRESS', '\u200b\u3000', undefined],
    ['ZIPCODE', ' 10001 ', '10001'],
    ['ZIPCODE', '10001-1234', '10001'],
    ['ZIPCODE', '100011234', '10001'],
    ['ZIPCODE', '1001', undefined],
    ['BGID', 'bg1 ', 'bg1 '],
    ['RECORD_ID', ' ', undefined],
    ['RECORD_ID', '\u200b\u3000', undefined],
    ['RECORD_ID', '\ufeff a\u00adb\u2003', ' ab\u2003'],
    ['PARTNER_RECORD_ID', HASH.toUpperCase(), HASH.toUpperCase()],
  ])('%s %j is %j', async (signal, field, key) => {
    expect(normaliseKey(signal, field)).toBe(key)
    expect(await inSql(signal, [field])).toEqual([key])
  })

  test.each(SEGMENT_SIGNALS)(
    `JavaScript and SQL agree on ${KEYS} keys of %s, and each is its own key (seed ${SEED})`,
    async (signal) => {
      const values = fc.sample(fields(signal), { numRuns: KEYS, seed: SEED })
      expect(await differences(signal, values)).toEqual([])
      expect(changedAgain(signal, values)).toEqual([])
    },
  )

  test(`JavaScript and SQL agree on every character that has another case or width${isLong ? ', and on all others' : ''}`, async () => {
    const isFolded = (text: string) => loweredText(text) !== text || upperedText(text) !== text
    // A text that does not change has no character that would change.
    const blocks = isLong ? BLOCKS : BLOCKS.filter((block) => isFolded(block.join('')))
    const chars = blocks.flat().filter((char) => isLong || isFolded(char))
    expect(chars.length).toBeGreaterThan(7_500)
    for (const [signal, forms] of FORMS) {
      for (const form of forms) {
        const values = chars.map(form)
        expect(await differences(signal, values)).toEqual([])
        expect(changedAgain(signal, values)).toEqual([])
      }
    }
  })

  test('a person is the same in capitals and small letters, composed or not, and with either form of the domain', () => {
    const letters = fc.constantFrom(...'abzäöåéèçñøłđžčşğĳœæабвгдеёжяєїαβγδωάήώ')
    const label = fc.array(letters, { minLength: 1, maxLength: 8 }).map((all) => all.join(''))
    fc.assert(
      fc.property(label, label, (local, domain) => {
        const email = `${local}@${domain}.test`
        const spellings = [
          email.toUpperCase(),
          email.normalize('NFD'),
          email.normalize('NFKD').toUpperCase(),
          `${local}@${domainToASCII(`${domain}.test`).toUpperCase()}`,
          [...email]
            .map((char) => (/[a-z]/.test(char) ? String.fromCodePoint(char.charCodeAt(0) + 0xfee0) : char))
            .join(''),
          `\u200b${email}\u3000`,
        ]
        const key = normaliseKey('EMAIL', email)
        expect(key).toBeDefined()
        expect(spellings.map((spelling) => normaliseKey('EMAIL', spelling))).toEqual(spellings.map(() => key))
      }),
      { numRuns: tries(500, 100_000) },
    )
  })

  test('every IP address has one canonical form, and it is its own', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const canonical = normaliseKey('IP', address)
        expect(isIP(canonical ?? '')).not.toBe(0)
        expect(normaliseKey('IP', canonical ?? '')).toBe(canonical)
        expect(new URL(`http://${isIP(address) === 6 ? `[${address}]` : address}`).hostname.replace(/[[\]]/g, '')).toBe(
          canonical?.includes(':') || isIP(address) === 4 ? canonical : expect.stringContaining('::ffff:'),
        )
      }),
    )
  })
})

test('what does not show is what Unicode says does not, and white space is what it says is', () => {
  const differing = BLOCKS.flat().filter((char) => {
    const isInvisible = /^[\p{Cf}\p{Default_Ignorable_Code_Point}]$/u.test(char)
    const isWhite = /^\p{White_Space}$/u.test(char)
    return (visibleText(char) === '') !== isInvisible || (trimmedText(char) === '') !== (isInvisible || isWhite)
  })
  expect(differing).toEqual([])
})

test('JavaScript and SQL agree on the first field of a line', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(mixed('a', '"', '""', ',', ' ', '\ufeff', 'x@y.z'), { minLength: 50, maxLength: 100 }),
      async (lines) => {
        // DuckDB's client drops a byte order mark at the beginning of a text.
        const read = await column('line', lines, `to_base64(encode(${firstFieldSql('line')}))`)
        expect(read).toEqual(lines.map((line) => Buffer.from(firstFieldOf(line) ?? '').toString('base64')))
      },
    ),
    { numRuns: 12 },
  )
})

test.each([
  ['2026-01-05', '2026-01-05'],
  ['2026-01-05T23:30:00Z', '2026-01-05'],
  ['2026-01-05T23:30:00.123456789-05:00', '2026-01-06'],
  ['2026-01-06t00:30:00+02:00', '2026-01-05'],
  [' 2026-01-05 23:30:00 ', '2026-01-05'],
  ['2026-02-30', null],
  ['2026-01-05T25:00:00Z', null],
  ['05.01.2026', null],
  ['infinity', null],
  ['', null],
])('the UTC day of %j is %j', async (field, day) => {
  expect(await column('field', [field], `(${utcDaySql('field')})::VARCHAR`)).toEqual([day])
})

/** The positions of a character in a key. */
const FORMS: readonly [Signal, readonly ((char: string) => string)[]][] = [
  [
    'EMAIL',
    [
      (char) => `a${char}b@x.test`,
      (char) => `${char}@x.test`,
      (char) => `a@x${char}y.test`,
      (char) => `a@${char}.test`,
    ],
  ],
  ['ADDRESS', [(char) => `1 a${char}b`, (char) => char]],
]

async function inSql(signal: Signal, values: readonly string[]): Promise<(string | undefined)[]> {
  const relation = normaliseSql(signal, `(SELECT unnest(range(${values.length})) AS n, ${list(values)} AS field)`)
  const rows = await database.session((session) => session.rows(`SELECT key FROM (${relation}) ORDER BY n`))
  return rows.map((row) => (row.key as string | null) ?? undefined)
}

/** The values that the two normalise differently. */
async function differences(signal: Signal, values: readonly string[]): Promise<readonly string[]> {
  const file = join(dir, `${signal}.csv`)
  // Base64, because a line cannot contain a line break; after a letter, because DuckDB skips blank lines.
  await writeFile(file, values.map((value) => `x${Buffer.from(value).toString('base64')}\n`).join(''))
  const rows = `read_csv(${literal(file)}, columns = {'line': 'VARCHAR'}, header = false, auto_detect = false, delim = ',', quote = '', escape = '', parallel = false)`
  const from = `(SELECT row_number() OVER () AS n, decode(from_base64(substr(line, 2))) AS field FROM ${rows})`
  const keys = await database.session((session) =>
    session.rows(`SELECT key FROM (${normaliseSql(signal, from)}) ORDER BY n`),
  )
  if (keys.length !== values.length) throw new Error(`${keys.length} of ${values.length} rows`)
  return values.filter((value, index) => (keys[index]?.key ?? undefined) !== normaliseKey(signal, value))
}

/** The keys that change when they are normalised again, as the service does with a prepared list. */
function changedAgain(signal: Signal, values: readonly string[]): readonly string[] {
  const keys = values.flatMap((value) => normaliseKey(signal, value) ?? [])
  return keys.filter((key) => normaliseKey(signal, key) !== key)
}

async function column(name: string, values: readonly string[], sql: string): Promise<unknown[]> {
  const from = `(SELECT unnest(range(${values.length})) AS n, ${list(values)} AS ${name})`
  const rows = await database.session((session) => session.rows(`SELECT ${sql} AS value FROM ${from} ORDER BY n`))
  return rows.map((row) => row.value)
}

/** Base64 can contain a NUL; an SQL literal cannot. */
function list(values: readonly string[]): string {
  const encoded = values.map((value) => literal(Buffer.from(value).toString('base64')))
  return `decode(from_base64(unnest([${encoded.join(', ')}]::VARCHAR[])))`
}

function mixed(...parts: string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 8 })
    .map((all) => all.join(''))
}

/** Mostly fields that are almost keys. */
function fields(signal: Signal): fc.Arbitrary<string> {
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 31, maxLength: 33 })
  const hash = fc.string({ unit: fc.constantFrom(...'09afAF'), minLength: 63, maxLength: 65 })
  const noise = mixed(' ', '\t', '\0', '\u00a0', '-', '.', 'É', 'ı', 'K', 'a', 'Z')
  const near: Partial<Record<Signal, fc.Arbitrary<string>>> = {
    EMAIL: fc.oneof(
      fc.emailAddress(),
      mixed('@', 'A', '.com', ' ', 'É', '"'),
      mixed('a@', 'ß', 'ς', 'İ', 'ı', 'xn--', 'XN--bcher-kva', 'ü', '.test', 'ｘ'),
    ),
    IP: fc.oneof(fc.ipV4(), fc.ipV6(), mixed(':', '::', '0', '0:0', 'FFFF', '1', '10.0.0.1', '00a', ':ffff:')),
    IDFA: fc.oneof(hex, fc.uuid(), mixed('-', '0000000000000000', 'abcdef')),
    ADDRESS: mixed(' ', ',', '12', 'Hill', 'ß', 'ς', 'İ', 'ı', '１', 'ŉ', '-', '.', "'", '[', '~', '\u007f'),
    ZIPCODE: fc.stringMatching(/^ ?[0-9]{4,6}-?[0-9]{0,5}$/),
  }
  const key = fc.oneof(near[signal] ?? hex, near[signal] ?? mixed('A', 'b', '1', ' '), hash, noise)
  return fc.oneof(key, key.chain(disguised))
}

/** The key with characters in and around it that are invisible or do not belong to it. */
function disguised(key: string): fc.Arbitrary<string> {
  const insert = fc.record({
    at: fc.nat({ max: key.length }),
    char: fc.oneof(fc.constantFrom(...DISGUISES), ANY_OTHER),
  })
  return fc.array(insert, { minLength: 1, maxLength: 3 }).map((inserts) =>
    inserts.reduce((text, { at, char }) => {
      const place = Math.min(at, text.length)
      // If an insert separates the halves of a character, each half becomes a replacement character.
      return (text.slice(0, place) + char + text.slice(place)).toWellFormed()
    }, key),
  )
}

const DISGUISES = [
  ...'\u0301\u0308\u0323\u0338\u037e\u212a\u0000',
  ...'\u200b\u200c\u200d\u00ad\u200e\u200f\u2060\ufeff\u061c\u180e\u2066\u3164\ufe0f\u{e0020}\u{1d173}',
  ...'\u2003\u202f\u3000\u0085\u00a0\u1680\u2028\u205f \t\v',
  ...`.,;:'"()<>[]{}\u201c\ufffd\u0001\u00b7`,
  ...['smtp:', 'mailto:', '--', '..', '@'],
]
const ANY_OTHER = fc.oneof(
  fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 1 }),
  fc.integer({ min: 0x80, max: 0x3000 }).map((code) => String.fromCharCode(code)),
)
