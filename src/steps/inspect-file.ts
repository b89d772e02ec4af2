import { type FileHandle, stat } from 'node:fs/promises'
import { RowCheck } from '../contract/row-check.ts'
import { codeOf } from '../core/code-of.ts'
import { AudienceError, failedError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { DROP_AGAIN, isTaken, shownPath } from '../core/shown-path.ts'
import { openNamed } from '../platform/open-regular.ts'
import { readChunks } from '../platform/read-chunks.ts'

/** What a file holds. `rows` counts the lines that are not blank, without the header. */
export type FileContent = { bytes: number; rows: number; sha256: string; modifiedMs: number }

/**
 * Reads a file once, in pieces, and checks that a segment can be made from it. Throws an AudienceError
 * `file-unreadable`, or `file-unusable` if too few of its rows have a key of the signal.
 */
export async function inspectFile(
  path: string,
  rule: { signal: string; minimumShare: number },
  signal: AbortSignal,
  openFile: (path: string) => Promise<FileHandle> = openNamed,
): Promise<FileContent> {
  // Imported with the first file, because loading the crypto module takes a sixth of Node's own start time.
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha256')
  let bytes = 0
  let modifiedMs: number
  const rows = new RowCheck(rule)
  let file: FileHandle | undefined
  try {
    file = await openFile(path)
    modifiedMs = (await file.stat()).mtimeMs
    for await (const chunk of readChunks(file, signal)) {
      hash.update(chunk)
      rows.add(chunk)
      bytes += chunk.length
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof AudienceError) throw error
    const isMissing = codeOf(error) === 'ENOENT'
    throw new AudienceError({
      code: 'file-unreadable',
      kind: 'failed',
      message: isMissing
        ? `there is no file ${shownPath(path)}`
        : `${shownPath(path)} cannot be read: ${messageOf(error)}`,
      hint: isMissing && isTaken(path) ? DROP_AGAIN : 'check its path and its permissions',
      cause: error,
    })
  } finally {
    await file?.close()
  }
  if (bytes === 0) throw unusable(path, 'it is empty', NO_ROWS)
  const problem = rows.end()
  if (problem !== undefined) throw unusable(path, problem, rows.rows === 0 ? NO_ROWS : NO_KEYS)
  return { bytes, rows: rows.rows, sha256: hash.digest('hex'), modifiedMs }
}

/** When the file was last written, in milliseconds since 1970 with fractions. */
export async function modifiedAt(path: string): Promise<number> {
  return (await stat(path)).mtimeMs
}

const NO_ROWS =
  'look at the program that wrote it: a list is UTF-8 text with one person per line, with or without a header'
const NO_KEYS =
  'give a UTF-8 CSV file with the key in the first column, or correct uploadSignal; precheck: { minimumShare: 0 } sends any text file'

/** An error that the service would find only in a job, after the upload, or not at all (decisions 113 and 114). */
function unusable(path: string, why: string, hint: string): AudienceError {
  return failedError('file-unusable', `${shownPath(path)} was not sent: ${why}`, hint)
}
