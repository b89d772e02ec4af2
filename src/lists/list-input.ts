import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { isFormed } from '../contract/signal-key.ts'
import { codeOf } from '../core/code-of.ts'
import { AudienceError } from '../core/errors.ts'
import { foreignFormat } from '../core/foreign-format.ts'
import { formatBytes } from '../core/format/figures.ts'
import { DROP_AGAIN, isTaken, shownPath } from '../core/shown-path.ts'
import { NotRegularError } from '../platform/open-regular.ts'
import { type CsvDialect, csvDialect } from './csv-dialect.ts'
import { compressionOf, type Decompress } from './decompress.ts'
import { isHeaderField } from './header-field.ts'
import { unreadable } from './list-errors.ts'
import type { ListRequest } from './list-request.ts'
import type { Sandboxes } from './sandbox.ts'

/** A file that rows come from, and how to read it. */
export type ListInput = {
  /** What DuckDB reads: the file itself, or its decompressed copy. */
  readonly path: string
  /** The file itself, as shown to people. */
  readonly given: string
  /** A name for copies of it. */
  readonly name: string
} & InputFormat

type InputFormat =
  | {
      readonly format: 'csv'
      readonly dialect: CsvDialect
      /** Why its first row may continue past the part that was examined; undefined if it does not. */
      readonly cut?: string | undefined
    }
  | { readonly format: 'ndjson' }
  | { readonly format: 'parquet' }

const PREFIX_BYTES = 256 * 1024

/** Where and how a list is worked on. */
export interface Workplace {
  /** The folder for copies, and for data that does not fit into memory. It exists, and only its owner may enter it. */
  readonly folder: string
  readonly sandboxes: Sandboxes
  readonly decompress: Decompress
  readonly signal: AbortSignal
}

/** What is known about the keys of a file before it is read. */
type KnownKeys = Pick<ListRequest, 'column' | 'signal'> & Pick<ListRequest['from'], 'delimiter'>

/** A file to read: `path` leads to it, and `given` is the name that people see. */
export interface ListedFile {
  readonly given: string
  readonly path: string
}

/** Recognises the format of a file by its content, not by its name. A compressed file is unpacked to the folder. */
export async function listInput(
  { given, path: from }: ListedFile,
  name: string,
  { folder, decompress, signal }: Workplace,
  keys?: KnownKeys,
): Promise<ListInput> {
  const prefix = await prefixOf(from, given)
  const compression = compressionOf(prefix)
  const own = { given: shownPath(given), name }
  if (!compression) return wholeInput({ ...own, path: from, ...formatOf(prefix, given, keys) })
  const path = join(folder, name)
  try {
    await decompress({ given, path: from }, path, { compression, signal })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AudienceError || codeOf(error) === 'ENOSPC') throw error
    throw unreadable(given, `its ${compression} data are damaged or cut off`)
  }
  const content = await prefixOf(path, given)
  const inner = compressionOf(content)
  if (inner) throw unreadable(given, `its ${compression} data are compressed again, with ${inner}: unpack it once`)
  return wholeInput({ ...own, path, ...formatOf(content, given, keys) })
}

/** Returns the input. Throws if it is a Parquet file whose end, which describes its content, is missing. */
async function wholeInput(input: ListInput): Promise<ListInput> {
  if (input.format !== 'parquet') return input
  await using file = await open(input.path, 'r')
  const { size } = await file.stat()
  const { buffer } = await file.read(
    Buffer.alloc(PARQUET.length),
    0,
    PARQUET.length,
    Math.max(0, size - PARQUET.length),
  )
  if (buffer.toString('latin1') !== PARQUET) throw unreadable(input.given, 'it is a Parquet file that is cut off')
  return input
}

/** The bytes at the beginning and at the end of a Parquet file. */
const PARQUET = 'PAR1'

function formatOf(prefix: Uint8Array, given: string, keys: KnownKeys | undefined): InputFormat {
  if (Buffer.from(prefix.subarray(0, 4)).toString('latin1') === PARQUET) return { format: 'parquet' }
  const foreign = foreignFormat(prefix)
  if (foreign !== undefined) throw unreadable(given, `it is ${foreign}`)
  // The decoder removes one byte order mark; there may be more.
  const text = new TextDecoder().decode(prefix).replace(/^\ufeff+/, '')
  if (text.trim() === '') throw unreadable(given, 'it is empty')
  if (text.trimStart().startsWith('{')) return { format: 'ndjson' }
  const dialect = keys ? listDialect(text, keys) : csvDialect(text)
  if (dialect.first.length === 0) throw unreadable(given, 'it has only a "sep=" line')
  const cut = prefix.length === PREFIX_BYTES ? cutFirst(dialect) : undefined
  return { format: 'csv', dialect, cut }
}

/**
 * How a list is written. If any text can be a key and no header names the columns, a character in the keys can look
 * like a delimiter. In that case, only the document can name the delimiter.
 */
export function listDialect(text: string, { column, signal, delimiter }: KnownKeys): CsvDialect {
  const dialect = csvDialect(text, delimiter)
  if (delimiter !== undefined || isFormed(signal) || typeof column !== 'number') return dialect
  return isHeaderField(signal, dialect.first[column - 1] ?? '') ? dialect : csvDialect(text, 'none')
}

function cutFirst({ open: what, before }: CsvDialect): string | undefined {
  if (what === undefined) return undefined
  const row = `its first row, which begins on line ${before + 1},`
  return `${what === 'quote' ? `a quote in ${row}` : row} has no end in the first ${formatBytes(PREFIX_BYTES)}`
}

/** Does not read a pipe or a device, which may never end. */
async function prefixOf(path: string, given: string): Promise<Uint8Array> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile() && !stats.isDirectory()) throw new NotRegularError()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PREFIX_BYTES), 0, PREFIX_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw unopened(given, error)
  }
}

/** Turns a system error from opening a file into an error about a list. */
export function unopened(given: string, error: unknown) {
  const code = codeOf(error)
  if (code === 'ENOENT') return unreadable(given, MISSING, isTaken(given) ? DROP_AGAIN : 'check its path')
  return unreadable(given, (code !== undefined && REASONS[code]) || `the system reports ${code}`)
}

const MISSING = 'there is no such file'
const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOTREG: 'it is not a regular file',
  ENXIO: 'it is not a regular file',
}
