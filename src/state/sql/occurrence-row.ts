import { isJsonObject, parseJson } from '../../core/json.ts'
import type { Occurrence, TriggerRef } from '../../core/occurrence.ts'
import type { FinalStatus } from '../../core/run.ts'
import type { TriggerMemory, TriggerSummary } from '../occurrence-store.ts'

type Row = Readonly<Record<string, unknown>>

/** A row of the table `occurrences`. */
export function occurrenceOf(row: Row): Occurrence {
  const detail = typeof row.detail === 'string' ? parseJson(row.detail) : undefined
  return {
    pipeline: String(row.pipeline),
    trigger: String(row.trigger_name),
    key: String(row.key),
    at: Number(row.at),
    // Only the store writes this column.
    state: String(row.state) as Occurrence['state'],
    ...(typeof row.reason === 'string' && { reason: row.reason }),
    ...(typeof row.run_id === 'string' && { runId: row.run_id }),
    ...(isJsonObject(detail) && { detail }),
    ...((row.open === 1 || row.open === true) && { open: true }),
  }
}

/** A row of the table `triggers`. */
export function memoryOf(row: Row): TriggerMemory {
  return {
    pipeline: String(row.pipeline),
    trigger: String(row.name),
    ...(row.cursor !== null && { cursor: Number(row.cursor) }),
    ...(row.times !== null && { times: String(row.times) }),
    ...(row.paused_at !== null && { pausedAt: Number(row.paused_at) }),
  }
}

export function triggerOf(row: Row): TriggerRef {
  return { pipeline: String(row.pipeline), trigger: String(row.trigger_name) }
}

/** An occurrence with the status of its run in `ended_as`. */
export function endedOf(row: Row): { occurrence: Occurrence; status?: FinalStatus } {
  return {
    occurrence: occurrenceOf(row),
    // An ended run has one of these statuses; the status of a removed run is unknown.
    ...(typeof row.ended_as === 'string' && { status: row.ended_as as FinalStatus }),
  }
}

const NOTHING = { ran: 0, skipped: 0, missed: 0, failed: 0, runFailed: 0 }

/** Counts by trigger. Each row has the number `rows` of a trigger; those of `recent` also a state and `run_failed`. */
export function summaryOf(
  counts: Readonly<Record<'due' | 'open' | 'recent' | 'caughtUp', readonly Row[]>>,
): TriggerSummary[] {
  const triggers = new Map<string, TriggerSummary>()
  const add = (row: Row, change: (known: TriggerSummary) => Partial<TriggerSummary>) => {
    const ref = triggerOf(row)
    const key = `${ref.pipeline}/${ref.trigger}`
    const known = triggers.get(key) ?? { ...ref, due: 0, open: 0, caughtUp: 0, recent: NOTHING }
    triggers.set(key, { ...known, ...change(known) })
  }
  for (const row of counts.due) add(row, () => ({ due: Number(row.rows) }))
  for (const row of counts.open) add(row, () => ({ open: Number(row.rows) }))
  for (const row of counts.recent) {
    const number = {
      [String(row.state)]: Number(row.rows),
      ...(row.state === 'ran' && { runFailed: Number(row.run_failed) }),
    }
    add(row, (known) => ({ recent: { ...known.recent, ...number } }))
  }
  for (const row of counts.caughtUp) add(row, () => ({ caughtUp: Number(row.rows) }))
  return [...triggers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, trigger]) => trigger)
}
