import type { ListRule } from '../contract/operation.ts'
import type { JsonObject } from '../core/json.ts'

/** Page 0 with 10 items is what a list answers when nothing is asked (decision 130). */
const DEFAULT_PAGE_SIZE = 10

/** The answer of a list that has nothing, where the service says so with a 404 (decision 121). */
export function emptyPage(list: ListRule, input: JsonObject): JsonObject {
  return {
    [list.items]: [],
    page: input.page ?? 0,
    pageSize: input.pageSize ?? DEFAULT_PAGE_SIZE,
    hasMore: false,
  }
}
