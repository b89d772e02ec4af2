import type { FileSignal } from '../contract/enumerations.ts'
import { AudienceError, failedError } from '../core/errors.ts'
import { formatDuration } from '../core/format/duration-text.ts'
import { count, formatBytes, grouped } from '../core/format/figures.ts'
import { shownPath } from '../core/shown-path.ts'
import type { ListFigures } from './list-request.ts'

/** The list has no key. */
export function emptyList(signal: FileSignal, counts: Pick<ListFigures, 'rows' | 'empty' | 'bad' | 'suppressed'>) {
  const { rows, empty, bad, suppressed } = counts
  return failedError(
    'list-empty',
    `the list has no ${signal} key: of ${rows} rows, ${empty} are empty, ${bad} bad and ${suppressed} suppressed`,
    'check column or sql, and signal; an empty list cannot become a segment',
  )
}

/** The list is larger than `most` bytes, the maximum size of an upload. */
export function largeList(bytes: number, { keys, fit, most }: { keys: number; fit: number; most: number }) {
  return failedError(
    'list-too-large',
    `the list has ${count(keys, 'key')} and ${count(bytes, 'byte')}, but an upload takes at most ${grouped(most)}: only ${grouped(fit)} of these keys would fit`,
    'split it into several lists, each with a WHERE in sql; nothing was sent',
  )
}

/** Somebody wrote to a file while it was being read. */
export function changedWhileRead() {
  return failedError(
    'file-changed',
    'a file of the list changed while it was read',
    'wait until the file is complete, then run again; nothing was sent',
  )
}

/** A file cannot be read; `why` contains none of its content. */
export function unreadable(path: string, why: string, hint = 'docs/lists.md says which files can be read') {
  return failedError('list-unreadable', `${shownPath(path)} cannot be read: ${why}`, hint)
}

/**
 * The beginning of an error from the process that reads the rows. That process does not know the file names that people
 * know.
 */
export const NAMELESS = 'the list cannot be read: '

/** Runs `read`, which reads these files in a separate process. Adds their names to an error without a file name. */
export async function namingFiles<T>(files: readonly { given: string }[], read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof AudienceError) || !error.message.startsWith(NAMELESS)) throw error
    const [first = { given: 'the list' }, ...more] = files
    const others = more.length === 0 ? '' : `, or one of ${count(more.length, 'more file')},`
    const { code, kind, hint = '' } = error
    const message = `${first.given}${others} cannot be read: ${error.message.slice(NAMELESS.length)}`
    throw new AudienceError({ code, kind, message, hint })
  }
}

/** The disk of the state has no room for the list. `left`: its free bytes; `reserve`: the bytes that must stay free. */
export function diskFull(room?: { left: number; reserve: number }) {
  const figures = room
    ? `: it has ${formatBytes(room.left)} left, and ${formatBytes(room.reserve)} must stay free for the state itself`
    : ''
  return failedError(
    'list-disk-full',
    `the disk of the state has no room for the list${figures}`,
    'make room there, then run again; nothing was sent',
  )
}

/** A compressed file unpacks to more than `most` bytes. This limit may come from the size of the file and the ratio. */
export function unpacksTooLarge(
  path: string,
  { size, maxRatio, most }: { size: number; maxRatio?: number; most: number },
) {
  const [why, setting] =
    maxRatio === undefined
      ? ['with the other files of the list', 'lists.maxUnpacked']
      : [`which is more than ${maxRatio} times its size`, 'lists.maxRatio']
  return failedError(
    'list-unpacked',
    `${shownPath(path)} has ${formatBytes(size)} and unpacks to more than ${formatBytes(most)}, ${why}`,
    `check its content; if that is right, raise ${setting} in audience.yaml`,
  )
}

/** The process that reads the rows needs more memory than it may have. */
export function memoryOver(memoryBytes: number) {
  return failedError(
    'list-memory',
    `the list took more memory than it may use: ${formatBytes(memoryBytes)}`,
    'select fewer rows and columns, without functions that make long texts or lists; or raise lists.memory in audience.yaml',
  )
}

/** The list is not ready in time. */
export function tookTooLong(timeoutMs: number) {
  return failedError(
    'list-timeout',
    `the list was not ready after ${formatDuration(timeoutMs)}`,
    'select fewer rows and columns, or raise lists.timeout in audience.yaml',
  )
}

/** The process that reads the rows ended unexpectedly. `how`: its signal or its exit code. */
export function processEnded(how: string) {
  return failedError(
    'list-process',
    `the process that reads the rows of the list ended: ${how}`,
    'SIGKILL comes from the system when memory runs out, or from a person; any other cause is in the file or in sql: try the query by hand in DuckDB',
  )
}

/** An answer from DuckDB contains more than figures and names of columns. */
export function largeAnswer() {
  return failedError(
    'list-unreadable',
    `${NAMELESS}it has too many columns`,
    'write the column with the keys into a file of its own',
  )
}

/** A query needs every object of NDJSON, because DuckDB reads all of them or none. */
export function brokenObjects(why: string) {
  return failedError(
    'list-unreadable',
    `${NAMELESS}${why}`,
    'correct the file; or replace sql with column, which counts such a line as a bad row',
  )
}

/** A document's SQL is not one query. */
export function notOneSelect() {
  return failedError(
    'list-sql',
    'sql is not one SELECT',
    'write one query on `input` that gives one column: SELECT email FROM input',
  )
}
