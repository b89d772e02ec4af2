import type { Step } from '../core/pipeline.ts'
import type { RunRecord, StepRef } from '../core/run.ts'
import type { Item } from './item.ts'

/** What to do next: what to record immediately, which attempts must be active, and when to decide again. */
export interface Decision {
  readonly records: readonly RunRecord[]
  readonly starts: readonly AttemptStart[]
  /** Milliseconds since 1970. */
  readonly wakeAt?: number
}

/** An attempt that must be active. */
export interface AttemptStart {
  readonly step: Step
  readonly ref: StepRef
  readonly attempt: number
  /** The item of a forEach. */
  readonly item?: Item
}

export const nothing: Decision = { records: [], starts: [] }

export function record(...records: readonly RunRecord[]): Decision {
  return { records, starts: [] }
}

export function start(attempt: AttemptStart): Decision {
  return { records: [], starts: [attempt] }
}

export function wake(at: number): Decision {
  return { records: [], starts: [], wakeAt: at }
}

export function merge(decisions: readonly Decision[]): Decision {
  const records: RunRecord[] = []
  const starts: AttemptStart[] = []
  let wakeAt = Number.POSITIVE_INFINITY
  for (const decision of decisions) {
    if (decision === nothing) continue
    records.push(...decision.records)
    starts.push(...decision.starts)
    wakeAt = Math.min(wakeAt, decision.wakeAt ?? wakeAt)
  }
  return { records, starts, wakeAt: wakeAt < Number.POSITIVE_INFINITY ? wakeAt : undefined }
}
