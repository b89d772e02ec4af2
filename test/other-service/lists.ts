import { type Form, inForm } from './forms.ts'
import { invalid } from './refusal.ts'
import type { Answer, Asked } from './request.ts'
import type { Ways } from './ways.ts'

/** One page of `items`, by the shared rules. */
export function pageOf(key: string, items: readonly unknown[], { query }: Asked, { order, pageFields }: Ways): Answer {
  const page = whole(query, 'page', { least: 0, most: 1000, otherwise: 0 })
  const pageSize = whole(query, 'pageSize', { least: 10, most: 100, otherwise: 10 })
  const ordered = order === 'newest' ? items.toReversed() : items
  const from = page * pageSize
  const rows = ordered.slice(from, from + pageSize)
  if (order === 'tied' && page > 0 && rows.length > 0) rows[0] = ordered[from - 1]
  if (order === 'shadowed' && rows.length > 0 && from + pageSize >= ordered.length)
    rows[rows.length - 1] = ordered.at(-2)
  const fields = { numbers: { page, pageSize }, strings: { page: `${page}`, pageSize: `${pageSize}` }, absent: {} }
  return {
    status: 200,
    body: {
      [key]: rows,
      ...fields[pageFields],
      hasMore: from + pageSize < ordered.length,
    },
  }
}

function whole(
  query: URLSearchParams,
  name: string,
  limits: { least: number; most: number; otherwise: number },
): number {
  const text = query.get(name)
  if (text === null) return limits.otherwise
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= limits.least && value <= limits.most)) throw invalid(`${name} is out of range`)
  return value
}

/** Whether an item passes the filter `name` of a list, if this service applies filters at all. */
export function passes(
  { query }: Asked,
  { filters, filterForm }: Ways,
  name: string,
  value: unknown,
  form: Form = 'asSent',
): boolean {
  const given = query.get(name)
  const wanted = filterForm === 'kept' ? inForm(given, form) : given
  return filters === 'ignored' || given === null || wanted === String(inForm(value, form))
}
