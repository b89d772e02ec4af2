import { elapsedMs } from '../../core/duration.ts'
import type { RunRow } from '../../state/run-history.ts'
import type { Answer } from '../api/api-operation.ts'
import type { runItem } from '../api/run-schemas.ts'

export type RunItem = Answer<typeof runItem>

/** A run as lists show it. */
export function toRunItem({ submittedAt, beganAt, finishedAt, service: _service, ...row }: RunRow): RunItem {
  return {
    ...row,
    submittedAt: timeText(submittedAt),
    ...(beganAt !== undefined && { beganAt: timeText(beganAt), queuedMs: elapsedMs(submittedAt, beganAt) }),
    ...(finishedAt !== undefined && { finishedAt: timeText(finishedAt) }),
    ...(finishedAt !== undefined && beganAt !== undefined && { ranMs: elapsedMs(beganAt, finishedAt) }),
  }
}

/** RFC 3339 in UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
