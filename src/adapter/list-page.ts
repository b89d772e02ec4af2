import type { ListRule } from '../contract/operation.ts'
import type { JsonObject } from '../core/json.ts'

/** A list answers with page 0 and 10 items by default (decision 130). */
const DEFAULT_PAGE_SIZE = 10

/** The answer of an empty list if the service reports that with a 404 (decision 121). */
export function emptyPage(list: ListRule, input: JsonObject): JsonObject {
  return {
    [list.items]: [],
    page: input.page ?? 0,
    pageSize: input.pageSize ?? DEFAULT_PAGE_SIZE,
    hasMore: false,
  }
}
