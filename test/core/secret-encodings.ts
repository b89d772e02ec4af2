/** How others repeat a secret: each encoding and its decoder. */
export interface Encoding {
  readonly name: string
  /** `random`: from 0 to 1. */
  encode(text: string, random: () => number): string
  decode(text: string): string
}

const bytesOf = (text: string) => [...Buffer.from(text)]
const eachUnit = (text: string, write: (unit: number) => string) =>
  Array.from({ length: text.length }, (_, index) => write(text.charCodeAt(index))).join('')
const anyCase = (text: string, random: () => number) => (random() < 0.5 ? text.toLowerCase() : text.toUpperCase())
const percent = (byte: number, random: () => number) => `%${anyCase(byte.toString(16).padStart(2, '0'), random)}`
const unpercent = (text: string) =>
  Buffer.from(
    text.replace(/[^%]+|%([0-9a-f]{2})|%/gi, (found, hex: string | undefined) =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : Buffer.from(found).toString('latin1'),
    ),
    'latin1',
  ).toString()
const NAMED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '+': '&plus;',
  '=': '&equals;',
  '/': '&sol;',
  ä: '&auml;',
  é: '&eacute;',
  '€': '&euro;',
  '%': '&percnt;',
  '\\': '&bsol;',
}
const UNNAMED = Object.fromEntries(Object.entries(NAMED).map(([sign, name]) => [name, sign]))
const unentity = (text: string) =>
  text.replace(/&#x([0-9a-f]+);|&#([0-9]+);|&[a-z]+;/gi, (found, hex?: string, decimal?: string) =>
    hex !== undefined
      ? String.fromCodePoint(Number.parseInt(hex, 16))
      : decimal !== undefined
        ? String.fromCodePoint(Number(decimal))
        : (UNNAMED[found] ?? found),
  )
const unjson = (text: string) => JSON.parse(`"${text}"`) as string
const entity = (write: (code: number, random: () => number) => string) => (text: string, random: () => number) =>
  [...text]
    .map((sign) => (/[A-Za-z0-9]/.test(sign) && random() < 0.7 ? sign : write(sign.codePointAt(0)!, random)))
    .join('')
const base64 = (encoding: 'base64' | 'base64url') => (text: string, random: () => number) => {
  const before = 'user:token'.slice(0, Math.floor(random() * 10))
  const after = ' and so on'.slice(0, Math.floor(random() * 10))
  const encoded = Buffer.from(before + text + after).toString(encoding)
  return random() < 0.5 ? encoded.replace(/=+$/, '') : encoded
}
const unbase64 = (text: string) => Buffer.from(text, 'base64').toString()

export const ENCODINGS: readonly Encoding[] = [
  { name: 'JSON', encode: (text) => JSON.stringify(text).slice(1, -1), decode: unjson },
  { name: 'JSON with \\/', encode: (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'), decode: unjson },
  {
    name: '\\uXXXX',
    encode: (text, random) =>
      eachUnit(text, (unit) =>
        unit > 0x2f && unit < 0x5b && random() < 0.5
          ? String.fromCharCode(unit)
          : `\\u${anyCase(unit.toString(16).padStart(4, '0'), random)}`,
      ),
    decode: unjson,
  },
  {
    name: 'backslashes',
    // An escaped space looks like a space that breaks the text.
    encode: (text) => text.replace(/\S/gu, '\\$&'),
    decode: (text) => text.replace(/\\(.)/gsu, '$1'),
  },
  { name: 'URL', encode: (text) => encodeURIComponent(text), decode: unpercent },
  {
    name: 'URL of some',
    encode: (text, random) =>
      bytesOf(text)
        .map((byte) =>
          byte < 0x80 && byte !== 0x25 && random() < 0.5 ? String.fromCharCode(byte) : percent(byte, random),
        )
        .join(''),
    decode: unpercent,
  },
  {
    name: 'form',
    encode: (text) => new URLSearchParams({ v: text }).toString().slice(2),
    decode: (text) => unpercent(text.replaceAll('+', ' ')),
  },
  { name: 'base64', encode: base64('base64'), decode: unbase64 },
  { name: 'base64url', encode: base64('base64url'), decode: unbase64 },
  {
    name: 'HTML by name',
    encode: (text) => [...text].map((sign) => NAMED[sign] ?? sign).join(''),
    decode: unentity,
  },
  {
    name: 'HTML by number',
    encode: entity((code, random) => `&#${'0'.repeat(Math.floor(random() * 4))}${code};`),
    decode: unentity,
  },
  {
    name: 'HTML by hex number',
    encode: entity(
      (code, random) =>
        `&#${random() < 0.5 ? 'x' : 'X'}${'0'.repeat(Math.floor(random() * 4))}${anyCase(code.toString(16), random)};`,
    ),
    decode: unentity,
  },
]

const BREAKS = [
  ' ',
  '\n',
  '\r\n  ',
  '\t',
  '\u00a0',
  '\u00ad',
  '\u200b',
  '<wbr>',
  '<br>',
  '<BR />',
  '\u001b[0m\n\u001b[31m',
]

/** A text with breaks in it, as templates and e-mails insert them. */
export function broken(text: string, random: () => number): string {
  return [...text]
    .map((sign) => (random() < 0.15 ? sign + BREAKS[Math.floor(random() * BREAKS.length)] : sign))
    .join('')
}

/** A text without the insertions of `broken`. */
export function joined(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
  return text.replace(/<w?br ?\/?>|\u001b\[[0-9;]*m|[\s\u00ad\u200b\p{Cc}\p{Cf}]/giu, '')
}
