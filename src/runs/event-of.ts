import { elapsedMs } from '../core/duration.ts'
import type { StepProgress } from '../core/engine.ts'
import { stepsOf } from '../core/pipeline.ts'
import { type StepRef, type StoredRecord, signatureOf, stepKey, stepRef } from '../core/run.ts'
import type { ItemRef, RunEvent } from '../core/run-event.ts'
import { approvalFacts } from './approval-terms.ts'
import { guardDescription } from './guards/describe-guard.ts'
import { entryOf } from './item.ts'
import { itemLabel } from './item-label.ts'
import type { RunFacts } from './run-facts.ts'

/**
 * The event that watchers get for a record, given the state before it; undefined for the engine's internal records.
 * `livedAt` is the time of the record on the timeline of the state, if it differs.
 */
export function eventOf(facts: RunFacts, { at, record }: StoredRecord, livedAt: number = at): RunEvent | undefined {
  const { runId, state } = facts
  const base = { at: isoTime(at), runId }
  switch (record.type) {
    case 'last.noted':
    case 'variables.set':
    case 'effect.done':
    case 'step.expanded':
    case 'cancel.requested':
      return undefined
    case 'run.submitted':
      return record.queued ? { event: 'run.queued', ...base, ...record.queued } : started(facts, base)
    case 'run.admitted':
      return started(facts, base)
    case 'run.finished':
      return {
        event: 'run.finished',
        ...base,
        status: record.status,
        outputs: record.outputs ?? {},
        error: record.error,
        failures: record.failures,
        failuresOf: record.failuresOf,
        durationMs: elapsedMs(state.startedAt, livedAt),
      }
  }
  const ofStep = { ...base, ...itemOf(facts, record) }
  switch (record.type) {
    case 'step.started':
      return { event: 'step.started', ...ofStep, uses: usesOf(facts, record.step), attempt: record.attempt }
    case 'step.blocked':
      return { event: 'step.blocked', ...ofStep, thing: record.thing, by: record.by }
    case 'step.unblocked':
      return { event: 'step.unblocked', ...ofStep }
    case 'job.status': {
      const { jobId, status, waitedMs, counterpart } = record
      return { event: 'job.status', ...ofStep, jobId, status, waitedMs, counterpart }
    }
    case 'attempt.failed': {
      const { attempt, retryAt, error } = record
      return { event: 'step.retry', ...ofStep, attempt, retryAt: new Date(retryAt).toISOString(), error }
    }
    case 'step.finished': {
      const { status, outputs, error, keptFrom } = record
      const startedAt = state.steps.get(stepKey(record))?.startedAt ?? livedAt
      const durationMs = elapsedMs(startedAt, livedAt)
      return { event: 'step.finished', ...ofStep, status, outputs, error, keptFrom, durationMs }
    }
    case 'step.waiting': {
      const { reason, error } = record
      return { event: 'step.waiting', ...ofStep, reason, error, ...approvalFacts(record, at) }
    }
    case 'guard.measured':
      return { event: 'step.guarded', ...ofStep, ...guardDescription(record, state.guards) }
    case 'decision.made':
      return { event: 'step.decided', ...ofStep, decision: record.decision, ...signatureOf(record) }
  }
}

let last = { at: Number.NaN, text: '' }

/** Many consecutive records have the same millisecond. */
function isoTime(at: number): string {
  if (at !== last.at) last = { at, text: new Date(at).toISOString() }
  return last.text
}

function started({ pipeline }: RunFacts, base: { at: string; runId: string }): RunEvent {
  return {
    event: 'run.started',
    ...base,
    pipeline: pipeline.name,
    file: pipeline.file,
    digest: pipeline.digest,
    steps: pipeline.steps.map((step) => step.id),
  }
}

/**
 * Progress that is not recorded: how many bytes of an upload have been sent, what a step looks for, or how many steps
 * come before it.
 */
export function progressEvent(
  facts: RunFacts,
  at: number,
  ref: StepRef,
  progress: Extract<StepProgress, { kind: 'bytes' | 'look' | 'turn' }>,
): RunEvent {
  const base = { at: isoTime(at), runId: facts.runId, ...itemOf(facts, ref) }
  if (progress.kind === 'bytes')
    return { event: 'step.progress', ...base, bytesSent: progress.sent, bytesTotal: progress.total }
  if (progress.kind === 'turn') return { event: 'step.queued', ...base, ahead: progress.ahead }
  const { kind: _kind, ...look } = progress
  return { event: 'step.looking', ...base, ...look }
}

/** The step execution; in a forEach, with the name of the item for people, and the number of the items. */
function itemOf({ state }: RunFacts, record: StepRef): ItemRef {
  const { step, index, key } = record
  if (index === undefined) return { step }
  const ref = stepRef(record)
  const items = state.steps.get(entryOf(ref))?.items
  const label = key === undefined ? itemLabel(items?.[index]) : undefined
  return { ...ref, execution: stepKey(ref), label, items: items?.length }
}

function usesOf({ pipeline }: RunFacts, id: string): string {
  return stepsOf(pipeline).find((step) => step.id === id)?.uses ?? ''
}
