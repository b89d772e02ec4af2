import { elapsedMs } from '../../core/duration.ts'
import type { RunRow } from '../../state/run-history.ts'
import type { Answer } from '../api/api-operation.ts'
import type { runItem } from '../api/run-schemas.ts'

export type RunItem = Answer<typeof runItem>

/** A run as lists show it. */
export function toRunItem(row: RunRow): RunItem {
  const { runId, pipeline, profile, status, triggerKind, triggerLabel, submittedAt, beganAt, finishedAt } = row
  const { startedBy, seededFrom, owner, error, failures, failuresOf } = row
  return {
    ...{ runId, pipeline, profile, status, triggerKind, triggerLabel },
    submittedAt: timeText(submittedAt),
    ...(beganAt !== undefined && { beganAt: timeText(beganAt), queuedMs: elapsedMs(submittedAt, beganAt) }),
    ...(finishedAt !== undefined && { finishedAt: timeText(finishedAt) }),
    ...(finishedAt !== undefined && beganAt !== undefined && { ranMs: elapsedMs(beganAt, finishedAt) }),
    ...(startedBy !== undefined && { startedBy }),
    ...(seededFrom !== undefined && { seededFrom }),
    ...(owner !== undefined && { owner }),
    ...(error && { error }),
    ...(failures !== undefined && { failures }),
    ...(failuresOf !== undefined && { failuresOf }),
  }
}

/** RFC 3339 in UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
