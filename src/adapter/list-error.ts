import { AudienceError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'

/** The whole list cannot be read. The requests had no effect. */
export class ListError extends AudienceError {
  override readonly name = 'ListError'
}

const TELL_OPERATOR = 'try again later; if it happens again, tell the service’s operator'

export function tooLong(operation: string, read: number): ListError {
  return new ListError({
    code: 'list-too-long',
    kind: 'failed',
    message: `${operation} has more than the ${read} items that the service lets a client read`,
    hint: 'narrow it with a filter',
  })
}

export function listTooLarge(operation: string, { read, most }: { read: number; most: number }): ListError {
  return new ListError({
    code: 'list-too-long',
    kind: 'failed',
    message: `${operation} has more than ${count(most, 'character')}, the limit for a list (${count(read, 'item')} so far)`,
    hint: 'narrow it with a filter; if the items are not that large, tell the service’s operator',
  })
}

export function withoutProgress(operation: string, page: number, read: number): ListError {
  return new ListError({
    code: 'list-without-progress',
    kind: 'failed',
    message: `${operation} says that there are more items after page ${page}, but returns none (${read} read)`,
    hint: TELL_OPERATOR,
  })
}

/** The list has more items than it shows, but the contract gives it only one page (decision 116). */
export function withoutPages(operation: string, read: number): ListError {
  return new ListError({
    code: 'list-without-progress',
    kind: 'failed',
    message: `${operation} says that there are more than the ${read} items that it shows, but the contract gives it only one page`,
    hint: TELL_OPERATOR,
  })
}

export function wrongPage(operation: string, asked: number, shown: number | undefined): ListError {
  return new ListError({
    code: 'list-wrong-page',
    kind: 'failed',
    message: `${operation} answered with page ${shown} when it was asked for page ${asked}`,
    hint: TELL_OPERATOR,
  })
}

export function withoutIds(operation: string, id: string, page: number): ListError {
  return new ListError({
    code: 'list-without-ids',
    kind: 'failed',
    message: `${operation} shows an item without ${id} on page ${page}, so items cannot be told apart`,
    hint: TELL_OPERATOR,
  })
}

/** Why a reading may be incomplete. */
export type Doubt =
  | { readonly why: 'changes' | 'repeats' }
  | { readonly why: 'total'; readonly total: number; readonly shown: number }
  /** The header that shows that a cache answered. */
  | { readonly why: 'cache'; readonly header: string }

/** The error if the list may still be incomplete after all readings. */
export function notStill(operation: string, doubts: readonly Doubt[]): ListError {
  return new ListError({ code: 'list-not-still', kind: 'failed', ...explained(operation, doubts) })
}

function explained(operation: string, doubts: readonly Doubt[]): { message: string; hint: string } {
  const open = 'something may be missing'
  const again = 'try again when nobody is changing the list, or narrow it with a filter'
  const last = doubts.at(-1)
  if (last?.why === 'cache') {
    return {
      message: `${operation} was answered by a cache (${last.header}): what it shows may be old`,
      hint: 'tell the operator of the cache, or of the service, that it must obey Cache-Control: no-cache',
    }
  }
  if (last?.why === 'total') {
    return {
      message: `${operation} says that it has ${last.total} items, but shows ${last.shown}: ${open}`,
      hint: `${again}; if it happens again, tell the service’s operator`,
    }
  }
  if (doubts.every(({ why }) => why === 'repeats')) {
    return {
      message: `${operation} showed an item twice in each of ${doubts.length} readings: ${open}`,
      hint: `${again}; if it happens again, tell the service’s operator that its pages need a fixed order`,
    }
  }
  return {
    message: `${operation} changed while it was read, ${doubts.length} times in a row: ${open}`,
    hint: again,
  }
}
