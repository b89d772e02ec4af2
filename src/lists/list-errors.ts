import type { FileSignal } from '../contract/enumerations.ts'
import { AudienceError } from '../core/errors.ts'
import { shownPath } from '../core/shown-path.ts'
import type { ListFigures } from './list-request.ts'

/** The list has no key. */
export function emptyList(signal: FileSignal, counts: Pick<ListFigures, 'rows' | 'empty' | 'bad' | 'suppressed'>) {
  const { rows, empty, bad, suppressed } = counts
  return new AudienceError({
    code: 'list-empty',
    kind: 'failed',
    message: `the list has no ${signal} key: of ${rows} rows, ${empty} are empty, ${bad} bad and ${suppressed} suppressed`,
    hint: 'check column or sql, and signal; an empty list cannot become a segment',
  })
}

/** The list is larger than an upload may be, which is `most` bytes. */
export function largeList(
  bytes: number,
  { keys, fit, most }: { readonly keys: number; readonly fit: number; readonly most: number },
) {
  return new AudienceError({
    code: 'list-too-large',
    kind: 'failed',
    message: `the list has ${bytes} bytes with its ${keys} keys, and an upload takes ${most}: ${fit} of these keys would fit`,
    hint: 'split it into several lists, each with a WHERE in sql; nothing was sent',
  })
}

/** Somebody wrote to a file while it was read. */
export function changedWhileRead() {
  return new AudienceError({
    code: 'file-changed',
    kind: 'failed',
    message: 'a file of the list changed while it was read',
    hint: 'wait until the file is complete, then run again; nothing was sent',
  })
}

/** A file cannot be read; `why` holds nothing of its content. */
export function unreadable(path: string, why: string) {
  return new AudienceError({
    code: 'list-unreadable',
    kind: 'failed',
    message: `${shownPath(path)} cannot be read: ${why}`,
    hint: 'docs/lists.md says which files can be read',
  })
}

/** The disk of the state has no room for the list. */
export function diskFull() {
  return new AudienceError({
    code: 'list-disk-full',
    kind: 'failed',
    message: 'the disk of the state has no room for the list',
    hint: 'make room there, then run again; nothing was sent',
  })
}
