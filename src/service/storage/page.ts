/** A page request with its defaults filled in (decision 130). */
export interface PageRequest {
  readonly page: number
  readonly pageSize: number
}

export function pageRequest(input: { page?: number | undefined; pageSize?: number | undefined }): PageRequest {
  return { page: input.page ?? 0, pageSize: input.pageSize ?? 10 }
}

/**
 * The parameters of a statement that ends with `LIMIT :limit OFFSET :offset`. They ask for one row more than the page
 * has; the extra row shows whether more rows follow.
 */
export function limitAndOffset({ page, pageSize }: PageRequest): { limit: number; offset: number } {
  return { limit: pageSize + 1, offset: page * pageSize }
}

/**
 * Turns the rows of a `limitAndOffset` query into the items of the page, and says whether more follow (decisions 3 and
 * 132).
 */
export function splitPage<Item>(
  rows: readonly Item[],
  page: PageRequest,
): PageRequest & { items: readonly Item[]; hasMore: boolean } {
  return { ...page, items: rows.slice(0, page.pageSize), hasMore: rows.length > page.pageSize }
}
