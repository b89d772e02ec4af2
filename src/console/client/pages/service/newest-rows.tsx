import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Read } from '../../api/use-read.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { isTopInSight, Newer } from '../../ui/newer.tsx'
import { Rows, type RowsProps } from '../../ui/table.tsx'
import { ServicePage } from './service-page.tsx'
import { stillRows } from './still-rows.ts'

/** How many rows a list reads. */
export const MOST_ROWS = 100

/** A table of the newest rows of a list. New rows appear automatically only while the top is visible. */
export function NewestRows<Row>({ rows: read, ...table }: RowsProps<Row>) {
  const shown = useRef<readonly Row[]>([])
  const [, renderAgain] = useState({})
  const isFresh = shown.current.length === 0 || isTopInSight()
  const { rows, newer } = isFresh
    ? { rows: read, newer: 0 }
    : stillRows(shown.current, read, { keyOf: table.keyOf, limit: MOST_ROWS })
  shown.current = rows
  const show = () => {
    shown.current = []
    scrollTo(0, 0)
    renderAgain({})
  }
  return (
    <>
      <Newer count={newer} show={show} />
      <Rows {...table} rows={rows} />
      {rows.length >= MOST_ROWS && <p class="more muted">These are the newest {MOST_ROWS}.</p>}
    </>
  )
}

interface ListPageProps<Data, Row> extends Omit<RowsProps<Row>, 'rows'> {
  read: Read<Data>
  rowsOf: (data: Data) => readonly Row[]
  toolbar?: ComponentChildren
}

/** A page of the embedded service that lists the newest resources of one kind. */
export function ServiceListPage<Data, Row>({ read, rowsOf, toolbar, ...table }: ListPageProps<Data, Row>) {
  return (
    <ServicePage title={table.label}>
      {toolbar && <search class="toolbar">{toolbar}</search>}
      <Loaded read={read} rows={8}>
        {(data) => <NewestRows {...table} rows={rowsOf(data)} />}
      </Loaded>
    </ServicePage>
  )
}
