import { grouped } from '../../core/format/figures.ts'
import type { ListDifference } from '../../membership/compare-runs.ts'
import type { Style } from './style.ts'
import { type Cell, renderTable, type TableColumn } from './table.ts'
import { writeTime } from './write-time.ts'

interface Run {
  readonly runId: string
  readonly pipeline: string
  readonly submittedAt: number
}

const COLUMNS: readonly TableColumn[] = [
  { header: 'step' },
  { header: 'before' },
  { header: 'after' },
  { header: 'added' },
  { header: 'removed' },
  { header: 'kept' },
  { header: '' },
]

/** How the lists of two runs differ, for people. */
export function renderDifferences(
  differences: readonly ListDifference[],
  { before, after }: { readonly before: Run; readonly after: Run },
  style: Style,
): string[] {
  const rows = differences.map((one): readonly Cell[] => [
    { text: one.step },
    { text: figure('', one.before) },
    { text: figure('', one.after) },
    { text: figure('+', one.added), format: 'green' },
    { text: figure('−', one.removed), format: 'red' },
    { text: figure('', one.kept) },
    { text: one.why ?? '', format: 'dim' },
  ])
  return [`before: ${titleOf(before)}`, `after:  ${titleOf(after)}`, '', ...renderTable(COLUMNS, rows, { style })]
}

function titleOf({ runId, pipeline, submittedAt }: Run): string {
  return `${runId} of ${pipeline}, ${writeTime(submittedAt)}`
}

function figure(sign: string, value: number | null): string {
  return value === null ? '' : `${sign}${grouped(value)}`
}
