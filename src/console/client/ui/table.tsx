import { type ComponentChildren, isValidElement } from 'preact'
import { may } from '../shell/me.ts'
import { zone } from '../time/zone.ts'
import { Empty } from './notice.tsx'
import { Section } from './page.tsx'
import { ScrollArea } from './scroll-area.tsx'

/** A column: its heading, the cell of a row, and the class of its cells. The class `right` is for numbers. */
export type Column<Row> = readonly [head: ComponentChildren, cell: (row: Row) => ComponentChildren, className?: string]

export interface RowsProps<Row> {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string | number
  /** What is shown if there are no rows. */
  empty?: ComponentChildren
  dense?: boolean
  attributes?: (row: Row) => Readonly<Record<`data-${string}`, string>>
}

/** A table that is described by its columns. */
export function Rows<Row>({ label, rows, columns, keyOf, empty, dense, attributes }: RowsProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>
  const head = columns.map(([text, , className = ''], at) => (
    <Head key={at} right={className.startsWith('right')}>
      {text}
    </Head>
  ))
  return (
    <Table label={label} head={head} dense={dense}>
      {rows.map((row) => (
        <tr key={keyOf(row)} {...attributes?.(row)}>
          {columns.map(([text, cell, className], at) => (
            <td key={at} class={className} data-label={labelOf(text)}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  )
}

type RowsSectionProps<Row> = Omit<RowsProps<Row>, 'label' | 'empty'> & { title: string; label?: string }

/** A section with a table. It is left out if there are no rows. */
export function RowsSection<Row>({ title, label = title, ...table }: RowsSectionProps<Row>) {
  if (table.rows.length === 0) return null
  return (
    <Section title={title} count={table.rows.length}>
      <Rows label={label} {...table} />
    </Section>
  )
}

/** The heading of a column as text, for rows that are shown as cards. */
function labelOf(head: ComponentChildren): string | undefined {
  if (typeof head === 'string') return head
  const props = isValidElement(head) ? head.props : {}
  return 'text' in props && typeof props.text === 'string' ? props.text : undefined
}

interface TableProps {
  label: string
  head: ComponentChildren
  children: ComponentChildren
  dense?: boolean
}

/** A real table. On a narrow screen, each row is a card. */
export function Table({ label, head, children, dense = false }: TableProps) {
  return (
    <ScrollArea class="table-frame" label={label}>
      <table class={dense ? 'dense' : undefined}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollArea>
  )
}

export function Head({ children, right = false }: { children?: ComponentChildren; right?: boolean }) {
  return (
    <th scope="col" class={right ? 'right' : undefined}>
      {children}
    </th>
  )
}

/** The heading of a column of times. It names the time zone. */
export function InZone({ text }: { text: string }) {
  return (
    <>
      {text} <small class="zone">{zone.value}</small>
    </>
  )
}

/** A column of buttons for operators. */
export function actsColumn<Row>(acts: (row: Row) => ComponentChildren): Column<Row> {
  return [<span class="hidden">Actions</span>, (row) => may('operator') && acts(row), 'right']
}

/** A value as text; a dash if there is none. */
export function orDash<Value>(value: Value | undefined, text: (value: Value) => string): string {
  return value === undefined ? '–' : text(value)
}

/** The content of an empty cell. */
export const NONE = <span class="muted none">–</span>
