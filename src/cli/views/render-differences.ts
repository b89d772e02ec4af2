import { grouped } from '../../core/format/figures.ts'
import type { ListDifference } from '../../membership/compare-runs.ts'
import type { Style } from './style.ts'
import { renderTable, type TableColumn } from './table.ts'
import { writeTime } from './write-time.ts'

interface Run {
  readonly runId: string
  readonly pipeline: string
  readonly submittedAt: number
}

const COLUMNS: readonly TableColumn<ListDifference>[] = [
  { header: 'step', cell: ({ step }) => step },
  { header: 'before', cell: ({ before }) => figure('', before) },
  { header: 'after', cell: ({ after }) => figure('', after) },
  { header: 'added', cell: ({ added }) => ({ text: figure('+', added), format: 'green' }) },
  { header: 'removed', cell: ({ removed }) => ({ text: figure('−', removed), format: 'red' }) },
  { header: 'kept', cell: ({ kept }) => figure('', kept) },
  { header: '', cell: ({ why = '' }) => ({ text: why, format: 'dim' }) },
]

/** How the lists of two runs differ, for people. */
export function renderDifferences(
  differences: readonly ListDifference[],
  { before, after }: { before: Run; after: Run },
  style: Style,
): string[] {
  return [
    `before: ${titleOf(before)}`,
    `after:  ${titleOf(after)}`,
    '',
    ...renderTable(COLUMNS, differences, { style }),
  ]
}

function titleOf({ runId, pipeline, submittedAt }: Run): string {
  return `${runId} of ${pipeline}, ${writeTime(submittedAt)}`
}

function figure(sign: string, value: number | null): string {
  return value === null ? '' : `${sign}${grouped(value)}`
}
