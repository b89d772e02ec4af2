import { elapsedMs } from '../../core/duration.ts'
import { formatDuration } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'
import { partnerText } from '../../core/format/partner-text.ts'
import { startText } from '../../core/format/start-text.ts'
import type { JsonObject } from '../../core/json.ts'
import { type StepRef, stepKey, WAITS_FOR, type WaitReason } from '../../core/run.ts'
import type { StepDescription } from '../../runs/describe-run.ts'
import { describeSent } from '../../runs/describe-signed.ts'
import type { RunRow } from '../../state/run-history.ts'
import type { StepBlocked } from '../../status/status-report.ts'
import { describeFailures } from './describe-failures.ts'
import { describeIdle } from './describe-idle.ts'
import { describeInputs, differingInputs } from './describe-inputs.ts'
import { OUTCOME_COLOURS } from './outcomes.ts'
import { renderTable, type TableColumn, type TableView, timeColumn } from './table.ts'

export interface ListedRun extends RunRow {
  readonly trigger: JsonObject
  readonly inputs: JsonObject
  /** The steps that are waiting for a person, with the decision if there is one that no process has acted on yet. */
  readonly waits: readonly (StepRef & Pick<StepDescription, 'sent'> & { readonly waitsFor: WaitReason })[]
  /** The steps that are waiting for another step. */
  readonly blocked: readonly StepBlocked[]
}

/** A narrower table shows only the part of an id that differs between runs. Commands accept that part, too. */
const WHOLE_IDS_FROM = 120

/** Runs as a table for people. */
export function renderRuns(runs: readonly ListedRun[], now: number, view: TableView): string[] {
  if (runs.length === 0) return ['no runs']
  const isNarrow = view.width !== undefined && view.width < WHOLE_IDS_FROM
  const differing = new Map<string, ReadonlySet<string>>()
  for (const [pipeline, same] of Map.groupBy(runs, (run) => run.pipeline))
    differing.set(pipeline, differingInputs(same.map(({ inputs }) => inputs)))
  const inputsOf = ({ pipeline, inputs }: ListedRun) => describeInputs(inputs, differing.get(pipeline))
  const columns: readonly TableColumn<ListedRun>[] = [
    { header: 'run', cell: ({ runId }) => (isNarrow ? shortId(runId) : runId) },
    { ...timeColumn('started', runs, ({ submittedAt }) => submittedAt), min: 19, drop: 4 },
    { header: 'pipeline', min: 18, cell: ({ pipeline }) => pipeline },
    { header: 'started by', min: 14, drop: 3, cell: startText },
    { header: 'inputs', min: 12, drop: 2, cell: (run) => ({ text: inputsOf(run), format: 'dim' }) },
    { header: 'took', drop: 1, cell: (run) => took(run, now) },
    { header: 'status', cell: (run) => ({ text: run.status, format: colourOf(run) }) },
    { header: 'details', below: true, cell: detailsOf },
  ]
  return renderTable(columns, runs, view)
}

/** Partial success, and a wait for a partner, need attention. */
function colourOf({ status, failures, partnerWaits }: ListedRun) {
  return (failures ?? partnerWaits) ? 'yellow' : OUTCOME_COLOURS[status]
}

/** The part of an id after its time. */
function shortId(runId: string): string {
  return runId.slice(runId.indexOf('-') + 1)
}

/** How long a run took, without its time in a queue. */
function took({ submittedAt, beganAt, finishedAt }: ListedRun, now: number): string {
  return formatDuration(elapsedMs(beganAt ?? submittedAt, finishedAt ?? now))
}

function detailsOf(run: ListedRun): string {
  const { status, owner, error, waits, blocked } = run
  if (error) return error.step === undefined ? error.message : `${error.step}: ${error.message}`
  if (waits.length > 0)
    return waits
      .map(
        (wait) => `${stepKey(wait)} ${wait.sent ? describeSent(wait.sent) : `waits for ${WAITS_FOR[wait.waitsFor]}`}`,
      )
      .join(', ')
  const [first, ...more] = blocked
  if (first)
    return `${first.step} ${first.message}${more.length === 0 ? '' : `; ${count(more.length, 'more step waits', 'more steps wait')} as well`}`
  if (run.partnerWaits) return partnerText(run.partnerWaits)
  if (run.failures !== undefined) return describeFailures(run).replace(/^, /, '')
  if (status !== 'queued' && status !== 'running') return ''
  return owner !== undefined && status === 'running' ? owner : describeIdle(run)
}
