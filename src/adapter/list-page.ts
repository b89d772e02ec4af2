import type { ListRule } from '../contract/operation.ts'
import { isJsonObject, isSameJson, type Json, type JsonObject, stringifyJson } from '../core/json.ts'
import { sha256 } from '../core/sha256.ts'

/** A list answers with page 0 and 10 items by default (decision 130). */
const DEFAULT_PAGE_SIZE = 10

/** A page has 100 items at the most, and each of them some fields. */
export const MOST_PAGE_BYTES = 16 * 1024 * 1024

/** Ids longer than this are kept as hashes, so that an endless list of long ids cannot fill the memory. */
const LONGEST_KEY = 100

/** The names under which services tell how many items there are. The contract has none. */
const TOTALS = ['total', 'totalCount', 'totalItems', 'totalElements'] as const

/** What one answer says about a page of a list. Page fields that are not numbers count as not shown. */
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
 * Reads a page; undefined if a row is not an item with an id: nothing tells such a row from another. The total of a list
 * that is filtered does not count, because it may be that of the whole list.
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
    // At one moment, two different rows are two items, whatever their id.
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
  /** The row as text, once another row has the same id. */
  length: number | undefined
}

/** Equal rows have equal lengths. So no row is compared with a much longer one, however many there are. */
function isSameRow(first: FirstRow, item: JsonObject): boolean {
  first.length ??= stringifyJson(first.item).length
  return first.length === stringifyJson(item).length && isSameJson(first.item, item)
}

/** The answer of an empty list if the service reports that with a 404 (decision 121). */
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
