import type { ListRule } from '../contract/operation.ts'
import { AudienceError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'

const PAGE_SIZE = 100
const LAST_PAGE = 1000
/** The number of pages in a row without new items after which reading the list fails. */
const PAGES_WITHOUT_PROGRESS = 3

/**
 * The items of a list, page by page, each once although rows shift while it is read (decision 134). Items that do not
 * match the filter are left out, because the service may apply the filter less exactly (decision 85). Throws
 * `list-too-long` if the list continues after the last possible page (decision 133), and `list-without-progress` if the
 * service claims more items but returns nothing new.
 */
export async function* listItems(
  { operation, list, filter }: { operation: string; list: ListRule; filter: JsonObject },
  readPage: (page: { page: number; pageSize: number } | undefined) => Promise<Json | undefined>,
): AsyncGenerator<JsonObject> {
  const seen = new Set<Json>()
  let idle = 0
  for (let page = 0; ; page += 1) {
    const answer = await readPage(list.paged ? { page, pageSize: PAGE_SIZE } : undefined)
    const items = itemsOf(list, answer)
    let fresh = 0
    for (const item of items) {
      const id = item[list.id]
      if (id !== undefined && id !== null) {
        if (seen.has(id)) continue
        seen.add(id)
      }
      fresh += 1
      if (fits(item, filter)) yield item
    }
    if (!list.paged || !isJsonObject(answer) || answer.hasMore !== true) return
    idle = fresh === 0 ? idle + 1 : 0
    if (idle === PAGES_WITHOUT_PROGRESS) throw withoutProgress(operation, page, seen.size)
    if (page === LAST_PAGE) throw tooLong(operation, seen.size)
  }
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

function itemsOf(list: ListRule, answer: Json | undefined): readonly JsonObject[] {
  const items = isJsonObject(answer) ? answer[list.items] : undefined
  return Array.isArray(items) ? items.filter(isJsonObject) : []
}

function tooLong(operation: string, read: number): AudienceError {
  return new AudienceError({
    code: 'list-too-long',
    kind: 'failed',
    message: `${operation} has more than the ${read} items that the service lets a client read`,
    hint: 'narrow it with a filter',
  })
}

function withoutProgress(operation: string, page: number, read: number): AudienceError {
  return new AudienceError({
    code: 'list-without-progress',
    kind: 'failed',
    message: `${operation} claims more items after page ${page}, but brings none (${read} read)`,
    hint: 'try again later; if it stays so, tell the service’s operator',
  })
}
