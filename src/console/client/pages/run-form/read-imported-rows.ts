import { count, grouped } from '../../../../core/format/figures.ts'
import type { FieldItem } from '../../api/types.ts'
import { type Texts, textsOf } from './entries.ts'
import { exactJson } from './read-form-inputs.ts'

/** The maximum number of objects in a list of a run. */
const MOST_ROWS = 10_000

/**
 * Reads rows from a JSON list of objects, or from CSV whose first line contains the names of the fields. Throws errors
 * that can be shown.
 */
export function readImportedRows(text: string, fields: readonly FieldItem[]): Texts[] {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  const rows = trimmed.startsWith('[') ? jsonRows(trimmed) : csvRows(trimmed)
  if (rows.length === 0) throw new Error('it has no rows')
  if (rows.length > MOST_ROWS)
    throw new Error(`it has ${count(rows.length, 'row')}; a run takes at most ${grouped(MOST_ROWS)}`)
  const known = new Set(fields.map(({ name }) => name))
  const unknown = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => !known.has(name))))
  if (unknown.size === 0) return rows
  throw new Error(`there is no field ${[...unknown].join(', ')}; the fields are ${[...known].join(', ')}`)
}

function jsonRows(text: string): Texts[] {
  const list = exactJson(text)
  if (!Array.isArray(list)) throw new Error('it is not a list')
  return list.map((item, index) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw new Error(`row ${index + 1} is not an object`)
    return textsOf(item)
  })
}

function csvRows(text: string): Texts[] {
  const [names = [], ...lines] = csvLines(text, separatorOf(text))
  return lines.map((cells, index) => {
    if (cells.length > names.length)
      throw new Error(`row ${index + 1} has ${cells.length} values for ${names.length} names`)
    return Object.fromEntries(names.map((name, at) => [name.trim(), cells[at] ?? '']))
  })
}

/** Finds the separator: the comma, semicolon or tab, whichever is most frequent in the first line. */
function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1)
  const count = (separator: string) => first.split(separator).length
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best))
}

/** Reads the cells of CSV (RFC 4180). Skips empty lines. */
function csvLines(text: string, separator: string): string[][] {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${separator}]*))(${separator}|\\r?\\n|$)`, 'y')
  const lines: string[][] = [[]]
  for (let end = separator; end === separator || cell.lastIndex < text.length; ) {
    const match = cell.exec(text)
    if (!match) throw new Error(`line ${lines.length} has a quote that does not belong there`)
    const [, quoted, plain = '', after = ''] = match
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    end = after
    if (end !== separator && end !== '') lines.push([])
  }
  return lines.filter((cells) => cells.some((text) => text !== ''))
}
