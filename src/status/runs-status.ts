import { stepKey } from '../core/run.ts'
import { describeRun, type StepDescription } from '../runs/describe-run.ts'
import { commandFor } from '../runs/unattended-runs.ts'
import type { RunRow } from '../state/journal.ts'
import type { ReadableState } from '../state/sqlite/open-readable-state.ts'
import type { DaemonStatus, FailedRun, PersonWanted, RunUnattended } from './status-report.ts'

type Runs = ReadableState['journal']

const MOST_WAITING = 100
const MOST_FAILURES = 5
const MOST_UNATTENDED = 100
/** A daemon resumes unowned runs within seconds; a run is reported when nothing was recorded for longer than this. */
const RESUMED_WITHIN_MS = 30_000

/** The steps that wait for a person, with the possible answers. */
export function personsWanted(journal: Runs): PersonWanted[] {
  return journal.list({ status: ['waiting'], limit: MOST_WAITING }).flatMap((row) =>
    describeRun(row, journal.records(row.runId)).steps.flatMap((step) => {
      const { waitsFor } = step
      return waitsFor ? [wanted(row, { ...step, waitsFor })] : []
    }),
  )
}

function wanted(
  { runId, pipeline }: RunRow,
  step: StepDescription & Required<Pick<StepDescription, 'waitsFor'>>,
): PersonWanted {
  const key = stepKey(step)
  return {
    runId,
    pipeline,
    step: step.step,
    ...(step.index !== undefined && { index: step.index }),
    reason: step.waitsFor,
    startedAt: step.startedAt,
    message: step.error?.message ?? '',
    commands:
      step.waitsFor === 'approval'
        ? [`audience runs approve ${runId} ${key}`, `audience runs approve ${runId} ${key} --reject`]
        : [`audience runs resume ${runId} --step ${key} --done`, `audience runs resume ${runId} --step ${key} --again`],
  }
}

/** The runs that no process works on: those that the daemon reports as stuck, and those that no living process owns. */
export function unattendedRuns(journal: Runs, daemon: DaemonStatus, now: number): RunUnattended[] {
  const stuck = (daemon.stuck ?? []).flatMap((runId) => {
    const row = journal.find(runId)
    return row && row.finishedAt === undefined ? [unattended(journal, row, 'stuck')] : []
  })
  const graceMs = daemon.state === 'running' ? RESUMED_WITHIN_MS : 0
  const orphaned = journal
    // Without a daemon nothing takes a run out of the queue either.
    .list({
      status: daemon.state === 'running' ? ['running'] : ['running', 'queued'],
      ownerless: true,
      limit: MOST_UNATTENDED,
    })
    .map((row) => unattended(journal, row, 'orphaned'))
    .filter(({ since }) => Date.parse(since) + graceMs <= now)
  return [...stuck, ...orphaned].slice(0, MOST_UNATTENDED)
}

const UNATTENDED: Readonly<Record<RunUnattended['reason'], string>> = {
  stuck: 'the daemon cannot record or resume this run, and tries again; its log says why',
  orphaned: 'no process works on this run',
}

function unattended(
  journal: Runs,
  { runId, pipeline, submittedAt }: RunRow,
  why: RunUnattended['reason'],
): RunUnattended {
  const lastAt = journal.records(runId).at(-1)?.at ?? submittedAt
  return {
    runId,
    pipeline,
    reason: why,
    since: new Date(lastAt).toISOString(),
    message: UNATTENDED[why],
    commands: [commandFor({ runId, why })],
  }
}

/** The newest failed runs that ended at or after `since` (milliseconds since 1970). */
export function lastFailures(journal: Runs, since: number): FailedRun[] {
  return journal
    .list({ status: ['failed'], limit: MOST_FAILURES })
    .filter(({ finishedAt }) => finishedAt !== undefined && finishedAt >= since)
    .map((row) => {
      const { runId, pipeline, error, finishedAt = '' } = describeRun(row, journal.records(row.runId))
      return { runId, pipeline, finishedAt, ...(error?.step && { step: error.step }), message: error?.message ?? '' }
    })
}
