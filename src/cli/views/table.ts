import { printable } from '../../core/printable.ts'
import { type Style, styleFor } from './style.ts'
import { cut, padTo, widthOf } from './text-width.ts'
import { writeLocalTime, writeTime, zoneHere } from './write-time.ts'

export interface TableColumn<Row> {
  readonly header: string
  readonly cell: (row: Row) => string | Cell | undefined
  /** The smallest width that the column may be cut to. A column without `min` is never cut. */
  readonly min?: number
  /** Columns are left out in the order of this number, the lowest first. A column without `drop` always stays. */
  readonly drop?: number
  /** If rows do not fit, the texts of this column are written below them. Only one column can have this. */
  readonly below?: true
}

interface Cell {
  readonly text: string
  readonly format?: Parameters<Style>[0]
}

/** How a table is drawn. Without a width, it is as wide as its texts. */
export interface TableView {
  readonly style: Style
  readonly width?: number | undefined
}

/** How a table is drawn on a stream: a terminal has a width. */
export function tableView(out: NodeJS.WriteStream): TableView {
  return { style: styleFor(out), width: out.isTTY ? out.columns : undefined }
}

/** A column with a time of each row. If all times have the same zone, only the header names it. */
export function timeColumn<Row>(
  header: string,
  rows: readonly Row[],
  timeOf: (row: Row) => number,
): Pick<TableColumn<Row>, 'header' | 'cell'> {
  const [zone, ...others] = new Set(rows.map((row) => zoneHere(timeOf(row))))
  if (others.length > 0) return { header, cell: (row) => writeTime(timeOf(row)) }
  return { header: `${header} (${zone})`, cell: (row) => writeLocalTime(timeOf(row)) }
}

const GAP = '  '

/**
 * A table with a header for people. With `width`, one column goes below the rows, and others are cut and then left out
 * until a row fits. Without it, nothing is cut. A column without any text is left out. Characters that move the cursor
 * or reverse the text are escaped, because cells may hold names that strangers chose.
 */
export function renderTable<Row>(
  columns: readonly TableColumn<Row>[],
  given: readonly Row[],
  { width = Number.POSITIVE_INFINITY, style }: TableView,
): string[] {
  const rows = given.map((row) => columns.map(({ cell }) => printableCell(cell(row))))
  const natural = columns.map((_, index) => Math.max(0, ...rows.map((row) => widthOf(row[index]?.text ?? ''))))
  const used = columns.flatMap((column, index) => {
    const most = natural[index] ?? 0
    return most === 0 ? [] : [{ column, index, width: Math.max(most, widthOf(column.header)) }]
  })
  const isTooWide = excessOf(used, width) > 0
  const shown = fitted(isTooWide ? used.filter(({ column }) => !column.below) : used, width)
  const below = isTooWide ? used.find(({ column }) => column.below) : undefined
  const line = (cellAt: (index: number) => Cell) =>
    shown
      .map((one, place) => {
        const { text, format } = cellAt(one.index)
        const cell = cut(text, one.width)
        const padded = place === shown.length - 1 ? cell : padTo(cell, one.width)
        return format === undefined ? padded : style(format, padded)
      })
      .join(GAP)
      .trimEnd()
  return [
    line((index) => ({ text: columns[index]?.header ?? '', format: 'dim' })),
    ...rows.flatMap((row) => {
      const { text = '', format } = (below && row[below.index]) ?? {}
      const more = cut(text, width - GAP.length)
      return [
        line((index) => row[index] ?? { text: '' }),
        ...(more === '' ? [] : [GAP + (format === undefined ? more : style(format, more))]),
      ]
    }),
  ]
}

function printableCell(given: string | Cell | undefined = ''): Cell {
  return typeof given === 'string' ? { text: printable(given) } : { ...given, text: printable(given.text) }
}

interface Fitted {
  readonly column: Pick<TableColumn<never>, 'header' | 'min' | 'drop' | 'below'>
  readonly index: number
  readonly width: number
}

function excessOf(all: readonly Fitted[], width: number): number {
  return all.reduce((sum, one) => sum + one.width, GAP.length * (all.length - 1)) - width
}

function fitted(all: readonly Fitted[], width: number): readonly Fitted[] {
  const excess = excessOf(all, width)
  if (excess <= 0) return all
  const least = ({ column, width: wanted }: Fitted) =>
    Math.min(wanted, Math.max(column.min ?? wanted, widthOf(column.header)))
  const room = all.reduce((sum, one) => sum + one.width - least(one), 0)
  if (excess <= room) return narrowed(all, excess, least)
  const dropped = Math.min(...all.map(({ column }) => column.drop ?? Number.POSITIVE_INFINITY))
  if (dropped < Number.POSITIVE_INFINITY)
    return fitted(
      all.filter(({ column }) => column.drop !== dropped),
      width,
    )
  return narrowed(all, room, least)
}

/** Narrows the columns that have the most to spare, so that a short text stays whole as long as possible. */
function narrowed(all: readonly Fitted[], by: number, least: (one: Fitted) => number): readonly Fitted[] {
  const widths = all.map(({ width }) => width)
  for (let left = by; left > 0; left--) {
    const spare = all.map((one, place) => ((widths[place] ?? 0) > least(one) ? (widths[place] ?? 0) : 0))
    const widest = spare.indexOf(Math.max(...spare))
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return all.map((one, place) => ({ ...one, width: widths[place] ?? one.width }))
}
