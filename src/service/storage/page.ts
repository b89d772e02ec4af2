/** The rows to read, for a statement that ends with `LIMIT :limit OFFSET :offset`. */
export interface RowRange {
  readonly limit: number
  readonly offset: number
}

/**
 * The page that a request asks for, with the defaults filled in (decision 130). `read` gets one row more than the page
 * has; the extra row shows whether more rows follow (decisions 3 and 132).
 */
export function pageWith<Item>(
  { page = 0, pageSize = 10 }: { page?: number | undefined; pageSize?: number | undefined },
  read: (range: RowRange) => readonly Item[],
) {
  const rows = read({ limit: pageSize + 1, offset: page * pageSize })
  return { page, pageSize, items: rows.slice(0, pageSize), hasMore: rows.length > pageSize }
}
