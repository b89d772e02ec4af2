import { grouped } from '../core/format/figures.ts'

/** The figures of a list in one line: `5,195 keys of 5,201 rows, +1,204 −88, 12 suppressed`. */
export function describeList(list: {
  keys: number
  rows: number
  suppressed: number
  bad: number
  /** Missing or null if it is not known who was in the list before. */
  added?: number | null
  removed?: number | null
}): string {
  const { added, removed, suppressed, bad } = list
  return [
    `${grouped(list.keys)} keys of ${grouped(list.rows)} rows`,
    ...(typeof added === 'number' && typeof removed === 'number' ? [`+${grouped(added)} −${grouped(removed)}`] : []),
    ...(suppressed > 0 ? [`${grouped(suppressed)} suppressed`] : []),
    ...(bad > 0 ? [`${grouped(bad)} bad`] : []),
  ].join(', ')
}
