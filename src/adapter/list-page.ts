import type { ListRule } from '../contract/operation.ts'
import { isJsonObject, isSameJson, type Json, type JsonObject, stringifyJson } from '../core/json.ts'
import { sha256 } from '../core/sha256.ts'

/** By default, a list answers with page 0 and 10 items (decision 130). */
const DEFAULT_PAGE_SIZE = 10

/** A page has at most 100 items, and each item has only a few fields. */
export const MOST_PAGE_BYTES = 16 * 1024 * 1024

/** Ids longer than this are kept as hashes, so that an endless list of long ids cannot use up the memory. */
const LONGEST_KEY = 100

/** The names of the fields in which services report the number of items. The contract has no such field. */
const TOTALS = ['total', 'totalCount', 'totalItems', 'totalElements'] as const

/** What one answer says about a page of a list. A page field that is not a number is ignored. */
export interface ListPage {
  /** The page and the size that were asked for. */
  readonly asked: { readonly page: number; readonly pageSize: number }
  readonly shown: { readonly page: number | undefined; readonly pageSize: number | undefined }
  readonly rows: readonly ListRow[]
  readonly says: 'more' | 'end' | 'nothing'
  readonly total: number | undefined
}

export interface ListRow {
  readonly key: string
  readonly item: JsonObject
}

/**
 * Reads a page; undefined if a row is not an item with an id, because nothing distinguishes this row from others. If
 * the list is filtered, its total is ignored, because it may be the total of the whole list.
 */
export function listPage(
  list: ListRule,
  answer: Json | undefined,
  { asked, isFiltered }: { asked: ListPage['asked']; isFiltered: boolean },
): ListPage | undefined {
  const fields = isJsonObject(answer) ? answer : {}
  const { [list.items]: items, hasMore, page, pageSize } = fields
  const rows: ListRow[] = []
  const firsts = new Map<string, FirstRow>()
  for (const item of Array.isArray(items) ? (items as readonly Json[]) : []) {
    const id = isJsonObject(item) ? keyOf(item[list.id]) : undefined
    if (!isJsonObject(item) || id === undefined) return undefined
    const first = firsts.get(id)
    if (!first) firsts.set(id, { item, length: undefined })
    // Two different rows of one page are two items, even if their ids are equal.
    rows.push({ key: !first || isSameRow(first, item) ? id : `${id} ${sha256(stringifyJson(item))}`, item })
  }
  const [total] = TOTALS.map((name) => count(fields[name])).filter((shown) => shown !== undefined)
  return {
    asked,
    shown: { page: list.paged ? count(page) : undefined, pageSize: count(pageSize) || undefined },
    rows,
    says: SAYINGS[String(hasMore).toLowerCase()] ?? 'nothing',
    total: isFiltered ? undefined : total,
  }
}

interface FirstRow {
  readonly item: JsonObject
  /** The length of the row as text; known once another row has the same id. */
  length: number | undefined
}

/** Equal rows have equal lengths. Checking the length first avoids comparing a row with much longer ones. */
function isSameRow(first: FirstRow, item: JsonObject): boolean {
  first.length ??= stringifyJson(first.item).length
  return first.length === stringifyJson(item).length && isSameJson(first.item, item)
}

/** The answer for an empty list, if the service reports that with a 404 (decision 121). */
export function emptyPage(list: ListRule, input: JsonObject): JsonObject {
  return {
    [list.items]: [],
    page: input.page ?? 0,
    pageSize: input.pageSize ?? DEFAULT_PAGE_SIZE,
    hasMore: false,
  }
}

/** Some services write the page fields as text (decision 133). */
const SAYINGS: Readonly<Record<string, 'more' | 'end' | undefined>> = {
  true: 'more',
  1: 'more',
  false: 'end',
  0: 'end',
}

function count(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

function keyOf(id: Json | undefined): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') return undefined
  const key = String(id)
  if (key === '') return undefined
  return key.length > LONGEST_KEY ? sha256(key) : key
}
