import { open } from 'node:fs/promises'
import type { Signal } from '../../contract/enumerations.ts'
import { normaliseKey } from '../../contract/normalise-key.ts'
import { firstFieldOf, isColumnWord } from '../../contract/signal-key.ts'
import { trimmedText } from '../../contract/visible-text.ts'
import { SegmentFileError } from './segment-file-error.ts'

const PREFIX_BYTES = 64 * 1024

/**
 * The number of lines before the data: blank lines, and a header if there is one. The first line is a header if its key
 * is not a valid key of the signal. It is also a header if its key is the name of a column, because ids and addresses
 * can be any text.
 */
export async function leadingLines(file: string, signal: Signal): Promise<number> {
  const prefix = await prefixOf(file)
  if (prefix[0] === 0xff || prefix[0] === 0xfe) {
    throw new SegmentFileError('not-utf8', 'the file is not UTF-8; it begins like UTF-16')
  }
  const lines = new TextDecoder().decode(prefix).split(/\r\n|\n|\r/)
  const first = lines.findIndex((line) => trimmedText(line) !== '')
  const line = lines[first]
  if (line === undefined) return 0
  return isHeader(line, signal) ? first + 1 : first
}

function isHeader(line: string, signal: Signal): boolean {
  const field = firstFieldOf(line)
  // A line that is not UTF-8 counts as a bad row.
  if (field === undefined || line.includes('\ufffd')) return false
  return normaliseKey(signal, field) === undefined || isColumnWord(signal, field)
}

async function prefixOf(path: string): Promise<Uint8Array> {
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read(new Uint8Array(PREFIX_BYTES), 0, PREFIX_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}
