import { createHash } from 'node:crypto'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'

/** A list as a program wrote it, perhaps damaged, and what a person would count in it. */
export interface AnyList {
  readonly content: Uint8Array
  readonly column: string | number
  /** The people in it whose rows are undamaged. */
  readonly people: ReadonlySet<string>
  /** Everybody who appears in the column. */
  readonly everybody: ReadonlySet<string>
  /** The people who are in another column. */
  readonly elsewhere: ReadonlySet<string>
  /** The number of rows that a person would count: the least and the most. */
  readonly rows: readonly [least: number, most: number]
  /** How many rows have a key, no value, or something that is not a key; undefined if a person could not say. */
  readonly exact: { readonly filled: number; readonly empty: number; readonly bad: number } | undefined
  readonly description: string
}

interface Row {
  /** Undefined: the field contains no person. */
  readonly person: string | undefined
  readonly key: string
  readonly note: string
  /** The address in the third column. */
  readonly more: string
  /** The text around that address: an index of `REMARKS`. */
  readonly remark: number
}

/** What is damaged: a row before it is written, a line, the text, or the bytes. */
type Damage = { readonly name: string } & (
  | { readonly row: (row: Row) => Row }
  | { readonly lines: (lines: string[], at: number, dialect: Dialect) => string[]; readonly people?: 'stay' }
  | { readonly bytes: (bytes: Buffer, dialect: Dialect) => Buffer }
)

interface Dialect {
  readonly delimiter: string
  readonly quotes: 'always' | 'needed' | 'never' | 'single'
  readonly end: string
  readonly mark: boolean
  readonly header: boolean
  readonly lastEnd: boolean
  /** Whether the key comes before the note. */
  readonly keyFirst: boolean
  /** The name of the column with the key. */
  readonly name: string
  /** `one`: only a column with the key. Otherwise there is also a note, and perhaps a third column with this name. */
  readonly columns: 'one' | 'note' | (typeof MORE)[number]
  readonly format: 'csv' | 'ndjson'
  readonly pack: 'plain' | 'gzip' | 'zstd'
}

const INVISIBLE = [...'\u200b\u200c\u200d\u00ad\u200e\u200f\u2060\ufeff\u061c\u2066\u180e\u3164']
const AROUND = [' ', '\u00a0', '\u2003', '\u202f', '\u3000', '\u200b ', '\u0085']
const WRONG: readonly (readonly [string, string])[] = [
  ...([
    ['smtp:', ''],
    ['mailto:', ''],
    ['<', '>'],
    ['(', ')'],
    ['[', ']'],
    ['', '.'],
    ['', '…'],
    ['“', '”'],
  ] as const),
  ...([
    ['«', '»'],
    ['Pat <', '>'],
    ['x ', ''],
    ['', ' y@x.test'],
    ['\0', ''],
    ['\u0001', ''],
    ['\ufffd', ''],
    ['.', ''],
  ] as const),
]
const inside = (key: string, char: string) => key.slice(0, 2) + char + key.slice(2)
const atLine = (name: string, change: (line: string, dialect: Dialect) => string[]): Damage => ({
  name,
  lines: (lines, at, dialect) => lines.flatMap((line, index) => (index === at ? change(line, dialect) : [line])),
})
const added = (name: string, line: (dialect: Dialect) => string): Damage => ({
  name,
  lines: (lines, at, dialect) => lines.toSpliced(at, 0, line(dialect)),
  people: 'stay',
})

/** Each is one kind of damage. */
const DAMAGES: readonly Damage[] = [
  ...INVISIBLE.map((char) => row(`U+${char.charCodeAt(0).toString(16)} inside`, (key) => inside(key, char))),
  ...AROUND.map((blank) => row(`${JSON.stringify(blank)} around`, (key) => `${blank}${key}${blank}`)),
  row('capitals', (key) => key.toUpperCase()),
  ...WRONG.map(
    ([before, after]): Damage => ({
      name: `${JSON.stringify(before + after)} around`,
      row: (one) => (one.key === '' ? one : { ...one, key: before + one.key + after, person: undefined }),
    }),
  ),
  row('a note of two lines', (key) => key, 'two\nlines'),
  row('a note with quotes', (key) => key, '5" and "more"'),
  atLine('a quote opens the line', (line) => [`"${line}`]),
  atLine('a quote ends the line', (line) => [`${line}"`]),
  atLine('a quote opens the second field', (line, { delimiter }) => [line.replace(delimiter, `${delimiter}"`)]),
  atLine('a quote opens the second field behind a blank', (line, { delimiter }) => [
    line.replace(delimiter, `${delimiter} "`),
  ]),
  atLine('a quote in the middle', (line) => [`${line.slice(0, 3)}"${line.slice(3)}`]),
  atLine('three quotes', (line, { delimiter }) => [line.replace(delimiter, `${delimiter}"""`)]),
  atLine('a backslash before the end', (line) => [`${line}\\`]),
  ...[1, 2, 5].map(
    (distance): Damage => ({
      name: `quotes ${distance} lines apart`,
      lines: (lines, at, { delimiter }) =>
        lines.map((line, index) => {
          if (index === at) return line.replace(delimiter, `${delimiter}"`)
          return index === at + distance ? `${line}"` : line
        }),
    }),
  ),
  atLine('a field too many', (line, { delimiter }) => [`${line}${delimiter}x`]),
  atLine('a field too few', (line, { delimiter }) => [line.split(delimiter)[0] || 'x']),
  atLine('another encoding', (line) => [`${line}\u{10ffff}`]),
  added('a line that is cut off', () => 'p'),
  added('a blank line', () => ''),
  added('a line of blanks', () => '  '),
  added('a comment', () => '# exported'),
  added('a header in the middle', ({ delimiter, keyFirst }) =>
    (keyFirst ? ['email', 'note'] : ['note', 'email']).join(delimiter),
  ),
  added('a byte order mark alone', () => '\ufeff'),
  ...['\n', '\r\n', '\r'].map(
    (end): Damage => ({
      name: `the line end ${JSON.stringify(end)} once`,
      lines: (lines, at) => lines.map((line, index) => (index === at ? `${line}${OTHER_END}${end}` : line)),
      people: 'stay',
    }),
  ),
  {
    name: 'files that were joined',
    lines: (lines, at) => lines.map((line, index) => (index === at ? `\ufeff${line}` : line)),
    people: 'stay',
  },
  {
    name: 'cut off',
    // A plain text does not show that it was cut off.
    bytes: (bytes, { pack }) => (pack === 'plain' ? bytes : bytes.subarray(0, Math.floor(bytes.length * 0.7))),
  },
  { name: 'UTF-16', bytes: (bytes) => Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le') },
  { name: 'packed twice', bytes: (bytes) => gzipSync(gzipSync(bytes)) },
  { name: 'NUL at the end', bytes: (bytes) => Buffer.concat([bytes, Buffer.alloc(6000)]) },
  { name: 'a page in place of the file', bytes: () => Buffer.from('<html><body>502</body></html>') },
]

/** In place of the line end of the file. */
const OTHER_END = '\u{10fffe}'

function row(name: string, key: (key: string) => string, note?: string): Damage {
  return {
    name,
    row: (one) => ({ ...one, key: one.person === undefined ? one.key : key(one.key), note: note ?? one.note }),
  }
}

export const DAMAGE_COUNT = DAMAGES.length

/** The names of the column with the key: from real exports, others, and names of another signal. */
const NAMES = [
  ...[
    'email',
    'email',
    'E-Mail',
    'Email Address',
    'mail',
    'Contact Email',
    'PersonEmail',
    'email_sha256',
    'Adresse e-mail',
  ],
  ...['メールアドレス', 'who', 'Customer', 'secondary_email', 'idfa', 'record_id', 'address', 'ip'],
] as const
/**
 * Third columns: with another address, an IP address, something that may be a hash, and an address with any text around
 * it.
 */
const MORE = ['agent', 'work email', 'OPTIN_IP', 'token', 'remark', 'who asked'] as const
const wide = (text: string) =>
  text.replaceAll(/[!-~]/g, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0))
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** How an address appears in free-text columns. */
const REMARKS: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => `${address};a@b.test`,
  (address) => `mailto:${address}?subject=stop`,
  (address) => `smtp:${address}`,
  (address) => `Sam Fox <${address}>`,
  (address) => `asked by ${address}, on the phone.`,
  (address) => `${address}.`,
  (address) => `\u201c${address}\u201d`,
  (address) => `'${address}'`,
  (address) => address.replace('@', ' @ '),
  (address) => address.replace('@', '%40'),
  (address) => address.replace('@', '&#64;'),
  (address) => address.replace('@', '\\u0040'),
  (address) => address.replace('@', '\uff20'),
  (address) => `re: ${wide(address)}`,
  (address) => address.replace('.', '\uff0e'),
  (address) => `\u8054\u7cfb${address}\u8c22\u8c22`,
  (address) => `https://x.test/?u=${encodeURIComponent(address)}&x=1`,
  (address) => JSON.stringify([address]),
  (address) => JSON.stringify({ by: { mail: address } }),
  (address) => sha256(address),
  (address) => sha256(address).toUpperCase(),
  (address) => `sha256:${sha256(address)}`,
  (address) => `{"hem": "${sha256(address)}"}`,
]

const dialect: fc.Arbitrary<Dialect> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  quotes: fc.constantFrom('always', 'needed', 'never', 'single'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  mark: fc.boolean(),
  header: fc.boolean(),
  lastEnd: fc.boolean(),
  keyFirst: fc.boolean(),
  name: fc.constantFrom(...NAMES),
  columns: fc.constantFrom('one', 'note', 'note', ...MORE),
  format: fc.constantFrom('csv', 'csv', 'csv', 'csv', 'ndjson'),
  pack: fc.constantFrom('plain', 'plain', 'gzip', 'zstd'),
} as const)

/** Each person, by key, with other spellings of the key. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`p${index}@x.test`, [`P${index}@X.test`, `ｐ${index}@x.test`]]),
  ),
  'jürgen@xn--bcher-kva.test': ['JÜRGEN@BÜCHER.TEST', 'ju\u0308rgen@bu\u0308cher.test', 'Jürgen@XN--bcher-kva.test'],
  'σοφοσ@x.test': ['ΣΟΦΟΣ@x.test', 'σοφος@x.test'],
}
export const PEOPLE = Object.keys(SPELLINGS)
/** The people who appear only in third columns. */
export const OTHERS = ['s0@x.test', 's1@x.test', 's2@x.test']

/** One of the spellings of a person. */
export function spellings(person: string): fc.Arbitrary<string> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(person) }, fc.constantFrom(...(SPELLINGS[person] ?? [person])))
}

const aRow: fc.Arbitrary<Row> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(...PEOPLE).chain((person) =>
      fc.record({
        person: fc.constant(person),
        key: spellings(person),
        note: fc.constantFrom('', 'N', 'a b'),
        more: fc.constantFrom('', '', ...OTHERS),
        remark: fc.nat(REMARKS.length - 1),
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant({ person: undefined, key: '', note: 'blank', more: '', remark: 0 }) },
)

/** A list in any dialect, with up to two kinds of damage. */
export const anyList: fc.Arbitrary<AnyList> = fc
  .record({
    dialect,
    rows: fc.array(aRow, { minLength: 6, maxLength: 20 }),
    damages: fc.array(fc.record({ kind: fc.nat(DAMAGES.length - 1), at: fc.nat(19) }), { maxLength: 2 }),
  })
  .filter(({ rows }) => rows.filter(({ person }) => person !== undefined).length > 3)
  .map(({ dialect, rows, damages }) => listOf(dialect, rows, damages))

function listOf(
  dialect: Dialect,
  rows: readonly Row[],
  damages: readonly { readonly kind: number; readonly at: number }[],
): AnyList {
  const kinds = damages.map(({ kind, at }) => ({
    damage: DAMAGES[kind] ?? { name: '', row: (one: Row) => one },
    at: at % rows.length,
  }))
  let written = [...rows]
  for (const { damage, at } of kinds) {
    if ('row' in damage) written = written.map((one, index) => (index === at ? damage.row(one) : one))
  }
  const inLines = kinds.flatMap(({ damage, at }) => ('lines' in damage ? [{ damage, at }] : []))
  const inBytes = kinds.flatMap(({ damage }) => ('bytes' in damage ? [damage] : []))
  let lines = written.map((one) => record(one, dialect))
  for (const { damage, at } of inLines) lines = damage.lines(lines, at, dialect)
  const isCsv = dialect.format === 'csv'
  const names = inOrder(dialect.name, 'note', dialect.columns, dialect)
  const header = isCsv && dialect.header ? [names.map((name) => quoted(name, dialect)).join(dialect.delimiter)] : []
  const text = [...header, ...lines].join(dialect.end) + (dialect.lastEnd ? dialect.end : '')
  const own =
    (dialect.mark ? '\ufeff' : '') +
    text.replaceAll(new RegExp(`${OTHER_END}(\r\n|\n|\r)(?:${dialect.end})?`, 'g'), '$1')
  let bytes = Buffer.from(own)
  // One byte that is not UTF-8.
  for (let at = bytes.indexOf('\u{10ffff}'); at >= 0; at = bytes.indexOf('\u{10ffff}'))
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.of(0xe9), bytes.subarray(at + 4)])
  if (dialect.pack === 'gzip') bytes = gzipSync(bytes)
  if (dialect.pack === 'zstd') bytes = zstdCompressSync(bytes)
  for (const { bytes: change } of inBytes) bytes = Buffer.from(change(bytes, dialect))
  const people = (of: readonly Row[]) => new Set(of.flatMap(({ person }) => person ?? []))
  const isWhole = inLines.length === 0 && inBytes.length === 0
  const extra = inLines.filter(({ damage }) => damage.people === 'stay').length
  const physical = own.split(/\r\n|\n|\r/).filter((line) => line !== '').length
  const filled = written.filter(({ person }) => person !== undefined).length
  const empty = written.filter(({ key }) => key === '').length
  // Without quotes, a row without a value is a blank line if there is only one column.
  const isBlankLine = isCsv && dialect.columns === 'one' && (dialect.quotes === 'needed' || dialect.quotes === 'never')
  const blank = isBlankLine ? empty : 0
  return {
    content: bytes,
    column: dialect.header || !isCsv ? dialect.name : names.indexOf(dialect.name) + 1,
    people: inBytes.length > 0 ? new Set() : people(written),
    everybody: people(rows),
    elsewhere: new Set(
      rows
        .flatMap((one) => (isAddress(dialect.columns) && inBytes.length === 0 ? one.more : []))
        .filter((one) => one !== ''),
    ),
    rows:
      inBytes.length > 0 ? [0, physical + 1] : [rows.length - blank, Math.max(physical, rows.length + extra) + extra],
    exact: isWhole ? { filled, empty: empty - blank, bad: written.length - filled - empty } : undefined,
    description: `${kinds.map(({ damage, at }) => `${damage.name} at ${at}`).join(', ')} in ${JSON.stringify(dialect)}`,
  }
}

/** The values of the existing columns. */
function inOrder(key: string, note: string, more: string, { columns, keyFirst }: Dialect): readonly string[] {
  if (columns === 'one') return [key]
  return [...(keyFirst ? [key, note] : [note, key]), ...(columns === 'note' ? [] : [more])]
}

function isAddress(columns: Dialect['columns']): boolean {
  return columns === 'agent' || columns === 'work email' || isRemark(columns)
}

function isRemark(columns: Dialect['columns']): boolean {
  return columns === 'remark' || columns === 'who asked'
}

function record({ key, note, more, remark }: Row, dialect: Dialect): string {
  const { columns, name, format, delimiter } = dialect
  const around = more === '' || !isRemark(columns) ? more : (REMARKS[remark]?.(more) ?? more)
  const third = isAddress(columns) ? around : columns === 'token' ? sha256(key) : '10.0.0.1'
  const fields = inOrder(key, note, third, dialect)
  if (format === 'csv') return fields.map((field) => quoted(field, dialect)).join(delimiter)
  const names = inOrder(name, 'note', columns, dialect)
  // In every second remark, the last field is nested deeper, as programs write it.
  const isDeep = isRemark(columns) && remark % 2 === 1
  const values = isDeep ? [...fields.slice(0, -1), { of: fields.slice(-1) }] : fields
  return JSON.stringify(Object.fromEntries(names.map((one, index) => [one, values[index]])))
}

function quoted(field: string, { quotes, delimiter, end }: Dialect): string {
  const text = field.replaceAll('\n', end)
  if (quotes === 'single') return `'${text.replaceAll("'", "''")}'`
  const isNeeded = text.includes('"') || text.includes(delimiter) || /[\r\n]/.test(text)
  if (quotes === 'always' || (quotes === 'needed' && isNeeded)) return `"${text.replaceAll('"', '""')}"`
  // A program that never quotes must leave these out.
  return text
    .replaceAll('"', '')
    .replaceAll(delimiter, ' ')
    .replaceAll(/[\r\n]+/g, ' ')
}
