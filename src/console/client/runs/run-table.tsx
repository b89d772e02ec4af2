import type { RunItem } from '../api/types.ts'
import { type Column, InZone, Rows } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { QueuedFor, RanFor, Standing, StartedBy } from './run-cells.tsx'
import { runAddress, shortId } from './run-link.tsx'

const COLUMNS: readonly Column<RunItem>[] = [
  ['Status', (run) => <Standing of={run} short />, 'standing'],
  ['Pipeline', (run) => <RunName run={run} text={run.pipeline} />, 'name of-run'],
  ['Started by', (run) => <StartedBy run={run} />, 'text'],
  [<InZone text="Submitted" />, ({ submittedAt }) => <Time at={submittedAt} />],
  ['Queued for', (run) => <QueuedFor run={run} />, 'right'],
  ['Ran for', (run) => <RanFor run={run} />, 'right'],
]
const OF_ONE_PIPELINE = COLUMNS.with(1, [
  'Run',
  (run) => <RunName run={run} text={shortId(run.runId)} class="mono" />,
  'name of-run',
])

interface RunTableProps {
  runs: readonly RunItem[]
  label: string
  /** What is shown if there are no runs. */
  empty?: string
  showPipeline?: boolean
  /** A column before all others. */
  first?: Column<RunItem>
}

/** Runs as rows. */
export function RunTable({ runs, label, empty, showPipeline = true, first }: RunTableProps) {
  const columns = showPipeline ? COLUMNS : OF_ONE_PIPELINE
  return (
    <Rows
      label={label}
      empty={empty}
      rows={runs}
      columns={first ? [first, ...columns] : columns}
      keyOf={({ runId }) => runId}
      attributes={({ runId }) => ({ 'data-run': runId })}
    />
  )
}

/** The link to a run, with its error below. */
export function RunName({ run, text, class: className }: { run: RunItem; text: string; class?: string }) {
  const { runId, error } = run
  return (
    <>
      <a href={runAddress(runId)} data-row class={className} title={runId}>
        <bdi>{text}</bdi>
      </a>
      {error && (
        <span class="under clamp bad" title={error.message}>
          {error.step !== undefined && `${error.step}: `}
          {error.message}
        </span>
      )}
    </>
  )
}
