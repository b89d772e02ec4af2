import type { FileSignal } from '../contract/enumerations.ts'
import { patternSql } from '../contract/normalise-sql.ts'
import { FORMED_SIGNALS, isBlank, isFormed, isKeyOf } from '../contract/signal-key.ts'
import type { CsvDialect } from './csv-dialect.ts'
import { isHeaderField, isName } from './header-field.ts'
import { isDevice } from './opted-sql.ts'
import { isNameOf, signalOf } from './signal-names.ts'

/** Where an opt-out list has its keys. */
export interface OptOutColumn {
  readonly column: string | number
  /** The signal for which the column is read. */
  readonly signal: FileSignal
  /** The signals whose keys its rows may hold. A row without a key of any of them cannot be used. */
  readonly allowed: readonly FileSignal[]
  /** `unnamed`: neither the header nor audience.yaml names a signal, so the rows must prove which signal it is. */
  readonly proof: 'header' | 'configured' | 'unnamed'
}

/** The column that audience.yaml gives for a file. */
export interface ConfiguredColumn {
  readonly column: string | number
  readonly signal: FileSignal
}

/** The signals whose keys have a recognisable form. All device ids have the form of IDFA. */
const PATTERNED: readonly FileSignal[] = ['IP', 'IDFA', 'EMAIL']

/**
 * The column for a list of keys of a signal; undefined if the file says that it is for other signals. `names`: the
 * names of its columns, or the fields of its first record.
 */
export function optOutColumn(
  names: readonly string[],
  signal: FileSignal,
  configured: ConfiguredColumn | undefined,
): OptOutColumn | undefined {
  if (configured !== undefined) {
    const { column } = configured
    return configured.signal === signal ? { column, signal, allowed: [signal], proof: 'configured' } : undefined
  }
  const own = names.find((name) => isNameOf(name, signal))
  if (own !== undefined) {
    const allowed: readonly FileSignal[] = signal === 'ADDRESS' ? ['ADDRESS', 'EMAIL'] : [signal]
    return { column: own, signal, allowed, proof: 'header' }
  }
  if (names.some((name) => signalOf(name) !== undefined)) return undefined
  // Any text could be an id, so only a name proves that a column holds ids. The rows still have to be keys of other
  // signals.
  return {
    column: 1,
    signal: isFormed(signal) ? signal : 'EMAIL',
    allowed: [...PATTERNED, signal].filter(isFormed),
    proof: 'unnamed',
  }
}

/** What is wrong with a line that does not close a quoted field. */
export const OPEN_QUOTE = 'opens a quote and does not close it'

/** What is wrong with the first record of a CSV file. */
export interface WrongFirst {
  readonly line: number
  readonly why: string
  /** 1 if the record is read as a header, and is therefore not counted as an unusable row. */
  readonly rows: 0 | 1
}

/**
 * Undefined if the first record of a CSV file is a row of keys, or names columns. Any other record is an error page, or
 * the row of a person, which would be read as a header. If the file has no column for the signal, the first record
 * names columns for other signals.
 */
export function wrongFirst(
  { first, before, open }: CsvDialect,
  optOut: OptOutColumn | undefined,
): WrongFirst | undefined {
  const line = before + 1
  if (optOut === undefined || typeof optOut.column === 'string') {
    const why = `line ${line} names columns, and one of its fields holds a key`
    return first.some(holdsKey) ? { line, why, rows: 1 } : undefined
  }
  const { column, signal } = optOut
  const field = first[column - 1] ?? ''
  const rows = isHeaderField(signal, field) ? 1 : 0
  const why = `line ${line} ${open === 'quote' ? OPEN_QUOTE : 'is neither a key nor a header'}`
  if (!isFormed(signal)) return rows === 0 && /[\s<>{}[\]]/.test(field.trim()) ? { line, why, rows: 1 } : undefined
  if (isAllowed(optOut, field)) return undefined
  return first.every((name) => isName(name) || isBlank(name)) ? undefined : { line, why, rows }
}

/**
 * Whether a field is a key that the rows of a list may hold. A device id without hyphens may be the MD5 of an address.
 */
export function isAllowed({ signal, allowed }: Pick<OptOutColumn, 'signal' | 'allowed'>, field: string): boolean {
  return allowed.some(
    (one) =>
      isKeyOf(one, field) &&
      (one === signal || !isDevice(one) || field.includes('-')) &&
      (one !== 'EMAIL' || !ADDRESS_OF_MANY.test(field.trim())),
  )
}

/** SQL that tests whether a key stands for many people, such as a whole domain. */
export function isOfManySql(signal: FileSignal): string {
  return signal === 'EMAIL' ? `regexp_matches(key, ${patternSql(ADDRESS_OF_MANY)})` : 'false'
}

/**
 * A pattern such as `*@example.com`, `ann*@example.com` or `%@example.com`. Read as an address, it is a mailbox that
 * nobody has, so it would suppress nobody.
 */
const ADDRESS_OF_MANY = /^[^@]*[*?%]@/

const LONG_HEX = /[0-9a-f]{16}/i

function holdsKey(field: string): boolean {
  const words = field.split(/[\s<>()[\]{}"',;|]+/)
  return words.some((word) => LONG_HEX.test(word) || FORMED_SIGNALS.some((signal) => isKeyOf(signal, word)))
}
