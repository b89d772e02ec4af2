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
import type { Style } from './style.ts'
import { type Cell, renderTable, type TableColumn } from './table.ts'
import { writeLocalTime, writeTime, zoneHere } from './write-time.ts'

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

/** Runs as a table for people. With `width`, the table fits a terminal of that width. */
export function renderRuns(
  runs: readonly ListedRun[],
  { now, width, style }: { readonly now: number; readonly width?: number; readonly style: Style },
): string[] {
  if (runs.length === 0) return ['no runs']
  const zones = new Set(runs.map(({ submittedAt }) => zoneHere(submittedAt)))
  const [zone = ''] = zones
  const columns: readonly TableColumn[] = [
    { header: 'run' },
    { header: zones.size === 1 ? `started (${zone})` : 'started', min: 19, drop: 4 },
    { header: 'pipeline', min: 18 },
    { header: 'started by', min: 14, drop: 3 },
    { header: 'inputs', min: 12, drop: 2 },
    { header: 'took', drop: 1 },
    { header: 'status' },
    { header: 'details', below: true },
  ]
  const differing = new Map<string, ReadonlySet<string>>()
  for (const [pipeline, same] of Map.groupBy(runs, (run) => run.pipeline))
    differing.set(pipeline, differingInputs(same.map(({ inputs }) => inputs)))
  const rows = runs.map((run): readonly Cell[] => [
    { text: width !== undefined && width < WHOLE_IDS_FROM ? shortId(run.runId) : run.runId },
    { text: zones.size === 1 ? writeLocalTime(run.submittedAt) : writeTime(run.submittedAt) },
    { text: run.pipeline },
    { text: startText(run) },
    { text: describeInputs(run.inputs, differing.get(run.pipeline)), format: 'dim' },
    { text: took(run, now) },
    { text: run.status, format: (run.failures ?? run.partnerWaits) ? 'yellow' : OUTCOME_COLOURS[run.status] },
    { text: detailsOf(run) },
  ])
  return renderTable(columns, rows, { width, style })
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
