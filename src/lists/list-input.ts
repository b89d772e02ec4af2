import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { shownPath } from '../core/shown-path.ts'
import { type CsvDialect, csvDialect } from './csv-dialect.ts'
import { compressionOf, decompress } from './decompress.ts'
import { unreadable } from './list-errors.ts'

/** A file that rows come from, and how it is to be read. */
export type ListInput = {
  /** What DuckDB reads: the file itself, or its decompressed copy. */
  readonly path: string
  /** The file itself, for people. */
  readonly given: string
  /** A name for copies of it. */
  readonly name: string
} & InputFormat

type InputFormat =
  | { readonly format: 'csv'; readonly dialect: CsvDialect }
  | { readonly format: 'ndjson' }
  | { readonly format: 'parquet' }

const PREFIX_BYTES = 256 * 1024

/** Where copies are made. */
export interface Workplace {
  readonly folder: string
  readonly signal: AbortSignal
}

/** The files as inputs; compressed ones are unpacked to the folder. */
export async function listInputs(
  files: readonly string[],
  kind: string,
  work: Workplace,
): Promise<readonly ListInput[]> {
  const inputs: ListInput[] = []
  for (const [index, file] of files.entries()) inputs.push(await listInput(file, `${kind}-${index}`, work))
  return inputs
}

/** Recognises the format of a file by its content; its name does not count. */
async function listInput(given: string, name: string, { folder, signal }: Workplace): Promise<ListInput> {
  const prefix = await prefixOf(given)
  const compression = compressionOf(prefix)
  if (!compression) return wholeInput({ given: shownPath(given), name, path: given, ...formatOf(prefix, given) })
  const path = join(folder, name)
  try {
    await decompress(given, path, { compression, signal })
  } catch (error) {
    signal.throwIfAborted()
    if (codeOf(error) === 'ENOSPC') throw error
    throw unreadable(given, `its ${compression} data are damaged or cut off`)
  }
  return wholeInput({ given: shownPath(given), name, path, ...formatOf(await prefixOf(path), given) })
}

/** The input itself; throws if it is a Parquet file without its end, where all that describes it is. */
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

/** A Parquet file begins and ends with it. */
const PARQUET = 'PAR1'

function formatOf(prefix: Uint8Array, given: string): InputFormat {
  if (Buffer.from(prefix.subarray(0, 4)).toString('latin1') === PARQUET) return { format: 'parquet' }
  if ((prefix[0] === 0xff && prefix[1] === 0xfe) || (prefix[0] === 0xfe && prefix[1] === 0xff))
    throw unreadable(given, 'it is UTF-16, and not UTF-8')
  // The decoder leaves the byte order mark out.
  const text = new TextDecoder().decode(prefix)
  if (text.trim() === '') throw unreadable(given, 'it is empty')
  if (text.trimStart().startsWith('{')) return { format: 'ndjson' }
  return { format: 'csv', dialect: csvDialect(text) }
}

async function prefixOf(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PREFIX_BYTES), 0, PREFIX_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    const code = codeOf(error)
    throw unreadable(path, (code !== undefined && REASONS[code]) || `the system reports ${code}`)
  }
}

const REASONS: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' }
