import type { RunRow } from '../../core/journal.ts'
import { describeRun, type StepDescription } from '../../engine/describe-run.ts'
import type { ReadableState } from '../../engine/embedded/open-readable-state.ts'
import { stepKey } from '../../engine/run-state.ts'
import type { FailedRun, PersonWanted } from './status-report.ts'

type Runs = ReadableState['journal']

const MOST_WAITING = 100
const MOST_FAILURES = 5

/** The steps that wait for a person, with what can be said to them. */
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

/** The newest runs that failed, of those that ended at `since` or after (milliseconds since 1970). */
export function lastFailures(journal: Runs, since: number): FailedRun[] {
  return journal
    .list({ status: ['failed'], limit: MOST_FAILURES })
    .filter(({ finishedAt }) => finishedAt !== undefined && finishedAt >= since)
    .map((row) => {
      const { runId, pipeline, error, finishedAt = '' } = describeRun(row, journal.records(row.runId))
      return { runId, pipeline, finishedAt, ...(error?.step && { step: error.step }), message: error?.message ?? '' }
    })
}
