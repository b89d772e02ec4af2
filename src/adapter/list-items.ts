import type { ListRule } from '../contract/operation.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { ApiError } from './api-error.ts'
import {
  type Doubt,
  listTooLarge,
  notStill,
  tooLong,
  withoutIds,
  withoutPages,
  withoutProgress,
  wrongPage,
} from './list-error.ts'
import { ListEvidence } from './list-evidence.ts'
import { type ListPage, listPage } from './list-page.ts'
import { ListReading } from './list-reading.ts'

const PAGE_SIZE = 100
const LAST_PAGE = 1000
const MOST_ITEMS = PAGE_SIZE * (LAST_PAGE + 1)
/** The maximum number of characters that one reading may return. */
const MOST_TEXT = 128 * 1024 * 1024
/** After this many pages in a row without new items, reading the list fails. */
const PAGES_WITHOUT_PROGRESS = 3
/**
 * A list that changes is read again. There are pauses to let other writers finish, but readings come in pairs without a
 * pause between them. No two readings request the same addresses, because a cache might keep the answers. The page
 * sizes differ, so that page boundaries move if items of equal rank change places. Some readings request the first page
 * twice: if several servers with different orders answer in turn, each page then comes from a different server.
 */
const READINGS = [
  { pauseMs: 0, from: 0, pageSize: PAGE_SIZE },
  { pauseMs: 0, from: 0, pageSize: 99 },
  { pauseMs: 0, from: -1, pageSize: 62 },
  { pauseMs: 2000, from: 0, pageSize: 98 },
  { pauseMs: 0, from: -1, pageSize: 71 },
  { pauseMs: 10_000, from: 0, pageSize: 97 },
  { pauseMs: 0, from: -1, pageSize: 83 },
] as const

export interface ListReader {
  /** Reads a page. Its argument is undefined if the list does not come in pages. */
  readonly readPage: (page: ListPage['asked'] | undefined) => Promise<PageAnswer>
  readonly pause: (ms: number) => Promise<void>
}

export interface PageAnswer {
  readonly value: Json | undefined
  /** The header that shows that a cache answered. */
  readonly cachedBy?: string | undefined
}

interface ListAsked {
  readonly operation: string
  readonly list: ListRule
  readonly filter: JsonObject
}

/**
 * Returns each item of a list once, as soon as it is seen. Ends only when it is proven that every item that has been
 * there since the first request was returned (decision 152). A list of one page is proven immediately. A longer list is
 * read again until it is proven. Throws `list-not-still` after seven readings.
 *
 * Items that do not match the filter are left out, because the service may apply the filter less strictly (decision
 * 85). Throws `list-too-long` if the list continues after the last possible page (decision 133) or is too large, and
 * `list-without-progress` if the service claims more items but returns nothing new (decision 134). Throws
 * `list-wrong-page` and `list-without-ids` for pages that violate the contract.
 */
export async function* listItems(asked: ListAsked, reader: ListReader): AsyncGenerator<JsonObject> {
  const evidence = new ListEvidence()
  const doubts: Doubt[] = []
  for (const { pauseMs, from, pageSize } of READINGS) {
    if (pauseMs > 0) await reader.pause(pauseMs)
    // The number of pages is limited, so a long list needs large pages.
    const size = evidence.seen > pageSize * LAST_PAGE ? PAGE_SIZE : pageSize
    const doubt = yield* readThrough(asked, reader, { evidence, from, size })
    if (!doubt) return
    doubts.push(doubt)
  }
  throw notStill(asked.operation, doubts)
}

/**
 * Reads pages until all pages read so far prove that the list is complete. If no page is left before that, or if an
 * answer comes from a cache, returns the reason for doubt.
 */
async function* readThrough(
  { operation, list, filter }: ListAsked,
  reader: ListReader,
  { evidence, from, size }: { evidence: ListEvidence; from: number; size: number },
): AsyncGenerator<JsonObject, Doubt | undefined> {
  let reading = new ListReading()
  let idle = 0
  let text = 0
  for (let turn = from; ; turn += 1) {
    const asked = { page: Math.max(turn, 0), pageSize: size }
    const answer = await readPage(list.paged ? asked : undefined, { reader, reading })
    if (answer.cachedBy !== undefined) return { why: 'cache', header: answer.cachedBy }
    text += lengthOf(answer.value)
    const page = listPage(list, answer.value, { asked, isFiltered: isFiltering(filter) })
    if (!page) throw withoutIds(operation, list.id, asked.page)
    const taken = reading.take(page)
    if (!taken) throw wrongPage(operation, asked.page, page.shown.page)
    for (const item of evidence.add(taken, reading)) if (fits(item, filter)) yield item
    if (!list.paged && claimsMore(page)) throw withoutPages(operation, evidence.seen)
    if (!list.paged || evidence.isProof(reading)) return undefined
    if (taken.length !== undefined) return reading.doubt
    if (turn < 0) {
      reading = new ListReading()
      continue
    }
    idle = taken.fresh === 0 ? idle + 1 : 0
    if (idle === PAGES_WITHOUT_PROGRESS) throw withoutProgress(operation, asked.page, evidence.seen)
    if (asked.page === LAST_PAGE || evidence.seen > MOST_ITEMS) throw tooLong(operation, evidence.seen)
    if (text > MOST_TEXT) throw listTooLarge(operation, { read: evidence.seen, most: MOST_TEXT })
  }
}

/** Reads a page. The page after the last one is read only to check that it does not exist; a service may refuse it. */
async function readPage(
  asked: ListPage['asked'] | undefined,
  { reader, reading }: { reader: ListReader; reading: ListReading },
): Promise<PageAnswer> {
  try {
    return await reader.readPage(asked)
  } catch (error) {
    const isRefused = error instanceof ApiError && (error.request.status === 400 || error.request.status === 404)
    if (isRefused && reading.isAtEnd) return { value: {} }
    throw error
  }
}

function claimsMore({ says, rows, total = 0 }: ListPage): boolean {
  return says === 'more' || rows.length < total
}

/** Whether a filter has an effect. A field that is null and a flag that is false have none (decisions 15 and 84). */
function isFiltering(filter: JsonObject): boolean {
  return Object.values(filter).some((wanted) => wanted !== undefined && wanted !== null && wanted !== false)
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

/** The approximate length of an answer as text. Does not recurse, because an answer may be deeply nested. */
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
