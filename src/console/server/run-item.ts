import { elapsedMs } from '../../core/duration.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { ValueOf } from '../../core/json-schema.ts'
import type { RunRow } from '../../state/run-history.ts'
import type { runItem } from '../api/run-schemas.ts'

type RunItem = ValueOf<typeof runItem>

/** A run as shown in lists. */
export function toRunItem(row: RunRow): RunItem {
  const { runId, pipeline, profile, status, triggerKind, triggerLabel, submittedAt, beganAt, finishedAt } = row
  const { startedBy, seededFrom, commit, owner, error, failures, failuresOf, partnerWaits, acknowledged } = row
  return {
    runId,
    pipeline,
    profile,
    status,
    triggerKind,
    triggerLabel,
    submittedAt: isoTime(submittedAt),
    beganAt: isoTime(beganAt),
    queuedMs: beganAt === undefined ? undefined : elapsedMs(submittedAt, beganAt),
    finishedAt: isoTime(finishedAt),
    ranMs: finishedAt === undefined || beganAt === undefined ? undefined : elapsedMs(beganAt, finishedAt),
    startedBy,
    seededFrom,
    commit,
    owner,
    partnerWaits: partnerWaits && { ...partnerWaits, since: isoTime(partnerWaits.since) },
    error,
    acknowledged: acknowledged && { ...acknowledged, at: isoTime(acknowledged.at) },
    failures,
    failuresOf,
  }
}
