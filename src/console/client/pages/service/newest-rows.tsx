import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { isTopInSight } from '../../ui/is-top-in-sight.ts'
import { Newer } from '../../ui/newer.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import { stillRows } from './still-rows.ts'

/** How many rows a list reads. */
export const MOST_ROWS = 100

/** A table of the newest of something. New rows appear by themselves only while the top is in sight. */
export function NewestRows<Row>({
  read,
  keyOf,
  row,
  ...table
}: {
  readonly read: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly row: (row: Row) => ComponentChildren
  readonly label: string
  readonly head: ComponentChildren
  readonly empty: ComponentChildren
}) {
  const shown = useRef<readonly Row[]>([])
  const [, renderAgain] = useState({})
  const isFresh = shown.current.length === 0 || isTopInSight()
  const { rows, newer } = isFresh
    ? { rows: read, newer: 0 }
    : stillRows(shown.current, read, { keyOf, limit: MOST_ROWS })
  shown.current = rows
  const show = () => {
    shown.current = []
    scrollTo(0, 0)
    renderAgain({})
  }
  return (
    <>
      <Newer count={newer} show={show} />
      {rows.length === 0 ? (
        <Empty>{table.empty}</Empty>
      ) : (
        <Table label={table.label} head={table.head}>
          {rows.map(row)}
        </Table>
      )}
      {rows.length >= MOST_ROWS && <p class="more muted">These are the newest {MOST_ROWS}.</p>}
    </>
  )
}
