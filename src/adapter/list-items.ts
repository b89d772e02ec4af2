import type { ListRule } from '../contract/operation.ts'
import { AudienceError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { ListEvidence, type ListPage } from './list-evidence.ts'

const PAGE_SIZE = 100
const LAST_PAGE = 1000
const MOST_ITEMS = PAGE_SIZE * (LAST_PAGE + 1)
/** The most that one reading may bring, in characters. */
const MOST_TEXT = 128 * 1024 * 1024
/** The number of pages in a row without new items after which reading the list fails. */
const PAGES_WITHOUT_PROGRESS = 3
/**
 * A list that moves is read again, with pauses to let others finish, but always two readings without one. Every other
 * reading begins with one page more: if servers with orders of their own answer in turn, a page then comes from another.
 */
const READINGS = [
  { pauseMs: 0, from: 0 },
  { pauseMs: 0, from: 0 },
  { pauseMs: 0, from: -1 },
  { pauseMs: 2000, from: 0 },
  { pauseMs: 0, from: -1 },
  { pauseMs: 10_000, from: 0 },
  { pauseMs: 0, from: -1 },
] as const

/** A list that cannot be read as a whole. The requests took no effect. */
export class ListError extends AudienceError {
  override readonly name = 'ListError'
}

interface ListReader {
  /** Reads a page; undefined if the list does not come in pages. */
  readonly readPage: (page: { page: number; pageSize: number } | undefined) => Promise<Json | undefined>
  readonly pause: (ms: number) => Promise<void>
}

/**
 * The items of a list, each once, as soon as they are seen. It ends only with proof that everything was returned that
 * was there from the first request on (decision 152). One page is proof; of several, those before the last are read once
 * more, and everything again as long as the list moves. Throws `list-not-still` after seven readings.
 *
 * Items that do not match the filter are left out, because the service may apply the filter less exactly (decision 85).
 * Throws `list-too-long` if the list continues after the last possible page (decision 133) or is too large, and
 * `list-without-progress` if the service claims more items but returns nothing new (decision 134).
 */
export async function* listItems(
  { operation, list, filter }: { operation: string; list: ListRule; filter: JsonObject },
  { readPage, pause }: ListReader,
): AsyncGenerator<JsonObject> {
  const evidence = new ListEvidence({ id: list.id, pageSize: PAGE_SIZE })
  for (const { pauseMs, from } of READINGS) {
    if (pauseMs > 0) await pause(pauseMs)
    let idle = 0
    let text = 0
    for (let turn: number = from; ; turn += 1) {
      const page = Math.max(turn, 0)
      const answer = await readPage(list.paged ? { page, pageSize: PAGE_SIZE } : undefined)
      text += lengthOf(answer)
      const shown = { ...pageOf(list, answer), number: page }
      const { unseen, fresh } = evidence.add(shown)
      for (const item of unseen) if (fits(item, filter)) yield item
      if (evidence.isProof()) return
      if (!shown.hasMore) break
      if (turn < 0) continue
      idle = fresh === 0 ? idle + 1 : 0
      if (idle === PAGES_WITHOUT_PROGRESS) throw withoutProgress(operation, page, evidence.seen)
      if (page === LAST_PAGE || evidence.seen > MOST_ITEMS) throw tooLong(operation, evidence.seen)
      if (text > MOST_TEXT) throw tooLarge(operation, evidence.seen)
    }
  }
  throw notStill(operation, READINGS.length)
}

/** Whether no field of the item contradicts the filter field of the same name; "" counts as missing (decision 138). */
function fits(item: JsonObject, filter: JsonObject): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    const value = item[name]
    return (
      value === undefined ||
      value === null ||
      value === '' ||
      wanted === undefined ||
      wanted === null ||
      value === wanted
    )
  })
}

function pageOf(list: ListRule, answer: Json | undefined): Omit<ListPage, 'number'> {
  const { [list.items]: rows, hasMore, pageSize } = isJsonObject(answer) ? answer : {}
  const items = Array.isArray(rows) ? rows.filter(isJsonObject) : []
  // Some services write the page fields as strings, or not at all.
  const named = Number.parseInt(String(pageSize), 10)
  const size = named > 0 ? named : undefined
  const isFull = items.length === (size ?? PAGE_SIZE)
  const said = String(hasMore)
  const follows = said === 'true' || (said !== 'false' && isFull)
  return { items, hasMore: list.paged && follows, pageSize: size }
}

/** About how long an answer is as text. It does not recurse, because an answer may be nested deeply. */
function lengthOf(answer: Json | undefined): number {
  let length = 0
  const open: (Json | undefined)[] = [answer]
  while (open.length > 0) {
    const value = open.pop()
    length += typeof value === 'string' ? value.length : 8
    if (Array.isArray(value)) for (const item of value) open.push(item)
    else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        length += name.length
        open.push(member)
      }
    }
  }
  return length
}

function tooLong(operation: string, read: number): ListError {
  return new ListError({
    code: 'list-too-long',
    kind: 'failed',
    message: `${operation} has more than the ${read} items that the service lets a client read`,
    hint: 'narrow it with a filter',
  })
}

function tooLarge(operation: string, read: number): ListError {
  return new ListError({
    code: 'list-too-long',
    kind: 'failed',
    message: `${operation} is larger than the 128 MB that are read of a list (${read} items so far)`,
    hint: 'narrow it with a filter; if the items are not that large, tell the service’s operator',
  })
}

function withoutProgress(operation: string, page: number, read: number): ListError {
  return new ListError({
    code: 'list-without-progress',
    kind: 'failed',
    message: `${operation} claims more items after page ${page}, but brings none (${read} read)`,
    hint: 'try again later; if it stays so, tell the service’s operator',
  })
}

function notStill(operation: string, readings: number): ListError {
  return new ListError({
    code: 'list-not-still',
    kind: 'failed',
    message: `${operation} changed while it was read, ${readings} times in a row: whether anything is missing is not known`,
    hint: 'try again when nothing changes it, or narrow it with a filter',
  })
}
