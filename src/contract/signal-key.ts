import { isIP } from 'node:net'
import { isAscii } from '../core/byte-text.ts'
import { ALL_ADDRESS_GAPS, ASCII_EMAIL, addressKey, emailKey, HASH } from './normalise-key.ts'
import { isShown, trimmedText } from './visible-text.ts'

const DEVICE_ID = /^[0-9A-Fa-f]{32}$/
const HASH_LENGTH = 64
const NIL_DEVICE_ID = /^0+$/
/** A field in quotes at the beginning of a line, with the comma or the end of the line after it. */
export const QUOTED_FIELD = /^"((?:[^"]|"")*)"[ \t]*(?:,|$)/
const COLUMN_NAMES = ['id', 'key', 'value', 'signal']

/** The signals whose keys have a recognisable form. For the others, any text can be a key. */
export const FORMED_SIGNALS = ['EMAIL', 'IP', 'IDFA', 'AAID', 'STBID'] as const

export function isFormed(signal: string): boolean {
  return FORMED_SIGNALS.some((one) => one === signal)
}

/**
 * Whether a field is a key of the signal, or can be the SHA-256 of a key if the signal allows that. It accepts the same
 * fields as the service (docs/decisions.md, "Matching"). It checks every row of an upload, so it only tests:
 * `normaliseKey`, which also rewrites the key, takes 2 to 4 times as long. test/contract compares the two.
 */
export function isKeyOf(signal: string, field: string): boolean {
  // In nearly every row of a list, the field is a hash, or an address that needs no cleaning.
  if (signal === 'EMAIL' && field.length !== HASH_LENGTH && ASCII_EMAIL.test(field)) return true
  const text = trimmedText(field)
  switch (signal) {
    case 'EMAIL':
      return HASH.test(text) || (isAscii(text) ? ASCII_EMAIL.test(text) : emailKey(text) !== undefined)
    case 'IDFA':
    case 'AAID':
    case 'STBID':
      return HASH.test(text) || isDeviceId(text.replaceAll('-', ''))
    case 'IP':
      return HASH.test(text) || (isIP(text) > 0 && !text.includes('%'))
    case 'ADDRESS':
      return isAscii(field) ? field.replace(ALL_ADDRESS_GAPS, '') !== '' : addressKey(field) !== undefined
    default:
      return text !== '' && !field.includes('\0')
  }
}

/** The first field of a line of CSV; undefined if its quotes are broken (decision 113). */
export function firstFieldOf(row: string): string | undefined {
  const line = withoutMark(row)
  if (line.startsWith('"')) return QUOTED_FIELD.exec(line)?.[1]?.replaceAll('""', '"')
  const comma = line.indexOf(',')
  return comma < 0 ? line : line.slice(0, comma)
}

/** Where files were joined, a byte order mark can begin any line. */
function withoutMark(line: string): string {
  return line.startsWith('\ufeff') ? line.replace(/^\ufeff+/, '') : line
}

/** The fields of a CSV line. If a field has broken quotes, only the fields before it. */
export function fieldsOf(line: string): string[] {
  const fields: string[] = []
  for (let rest: string | undefined = withoutMark(line); rest !== undefined; ) {
    const field = firstFieldOf(rest)
    if (field === undefined) break
    fields.push(field)
    const length: number = rest.startsWith('"') ? (QUOTED_FIELD.exec(rest)?.[0].length ?? 0) : field.length + 1
    rest = rest[length - 1] === ',' ? rest.slice(length) : undefined
  }
  return fields
}

/** Whether the first line that is not empty names the columns. */
export function isHeader(signal: string, line: string): boolean {
  const field = firstFieldOf(line)
  return field !== undefined && isColumnName(signal, field)
}

/**
 * Whether a first line counts as a header only because its key is damaged. The service then reads it as column names,
 * and silently drops the person. Names contain no @ and no long runs of digits.
 */
export function hidesKey(signal: string, line: string): boolean {
  const field = firstFieldOf(line) ?? line
  return isFormed(signal) && !isKeyOf(signal, field) && (DAMAGED[signal] ?? LONG_HEX).test(field.replaceAll('-', ''))
}

const LONG_HEX = /[0-9A-Fa-f]{16}/
const DAMAGED: Readonly<Record<string, RegExp>> = {
  EMAIL: /[@\uff20]|[0-9A-Fa-f]{16}/,
  IP: /[0-9A-Fa-f]{16}|\d\.\d|[0-9A-Fa-f]:[0-9A-Fa-f:]/,
}

/** Whether the first field of a column is its name: it is not a key of the signal, or is a common word for a column. */
export function isColumnName(signal: string, field: string): boolean {
  return !isKeyOf(signal, field) || isColumnWord(signal, field)
}

/** Whether a field is a common word for a column. It may be a key, too: ids and addresses can be any text. */
export function isColumnWord(signal: string, field: string): boolean {
  const name = field.toLowerCase().replace(/[^a-z0-9]/g, '')
  return COLUMN_NAMES.includes(name) || name === signal.toLowerCase().replaceAll('_', '')
}

export function isBlank(line: string): boolean {
  return !isShown(line, 0) && trimmedText(line) === ''
}

function isDeviceId(digits: string): boolean {
  return DEVICE_ID.test(digits) && !NIL_DEVICE_ID.test(digits)
}
