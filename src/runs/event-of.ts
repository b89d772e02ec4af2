import { elapsedMs } from '../core/duration.ts'
import type { StepProgress } from '../core/engine.ts'
import { type StepRef, type StoredRecord, stepKey } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { RunFacts } from './run-facts.ts'

/**
 * The event that watchers get for a record, given the state before it; none for the engine's internal records.
 * `livedAt` is the time of the record on the timeline of the state, if it differs.
 */
export function eventOf(facts: RunFacts, { at, record }: StoredRecord, livedAt: number = at): RunEvent | undefined {
  const { runId, state } = facts
  const base = { at: isoTime(at), runId }
  switch (record.type) {
    case 'last.noted':
    case 'effect.done':
    case 'step.expanded':
    case 'cancel.requested':
      return undefined
    case 'run.submitted':
      return record.queued ? { event: 'run.queued', ...base, ...record.queued } : started(facts, base)
    case 'run.admitted':
      return started(facts, base)
    case 'step.started':
      return {
        event: 'step.started',
        ...base,
        ...refOf(record),
        uses: usesOf(facts, record.step),
        attempt: record.attempt,
      }
    case 'job.status':
      return {
        event: 'job.status',
        ...base,
        ...refOf(record),
        jobId: record.jobId,
        status: record.status,
        waitedMs: record.waitedMs,
      }
    case 'attempt.failed':
      return {
        event: 'step.retry',
        ...base,
        ...refOf(record),
        attempt: record.attempt,
        retryAt: new Date(record.retryAt).toISOString(),
        error: record.error,
      }
    case 'step.finished':
      return {
        event: 'step.finished',
        ...base,
        ...refOf(record),
        status: record.status,
        ...(record.outputs !== undefined && { outputs: record.outputs }),
        ...(record.error && { error: record.error }),
        ...(record.keptFrom !== undefined && { keptFrom: record.keptFrom }),
        durationMs: elapsedMs(state.steps.get(stepKey(record))?.startedAt ?? livedAt, livedAt),
      }
    case 'run.finished':
      return {
        event: 'run.finished',
        ...base,
        status: record.status,
        outputs: record.outputs ?? {},
        ...(record.error && { error: record.error }),
        durationMs: elapsedMs(state.startedAt, livedAt),
      }
    case 'step.waiting':
      return { event: 'step.waiting', ...base, ...refOf(record), reason: record.reason, error: record.error }
    case 'decision.made':
      return { event: 'step.decided', ...base, ...refOf(record), decision: record.decision }
  }
}

let last = { at: Number.NaN, text: '' }

/** Many consecutive records have the same millisecond. */
function isoTime(at: number): string {
  if (at !== last.at) last = { at, text: new Date(at).toISOString() }
  return last.text
}

function started({ pipeline }: RunFacts, base: { readonly at: string; readonly runId: string }): RunEvent {
  return {
    event: 'run.started',
    ...base,
    pipeline: pipeline.name,
    file: pipeline.file,
    digest: pipeline.digest,
    steps: pipeline.steps.map((step) => step.id),
  }
}

/** How many bytes of an upload have been sent. */
export function progressEvent(
  runId: string,
  at: number,
  ref: StepRef,
  progress: Extract<StepProgress, { kind: 'bytes' }>,
): RunEvent {
  const time = new Date(at).toISOString()
  return { event: 'step.progress', at: time, runId, ...ref, bytesSent: progress.sent, bytesTotal: progress.total }
}

function refOf(ref: StepRef): StepRef {
  return ref.index === undefined ? { step: ref.step } : { step: ref.step, index: ref.index }
}

function usesOf({ pipeline }: RunFacts, id: string): string {
  const steps = [...pipeline.steps, ...pipeline.onFailure, ...pipeline.finally]
  return steps.find((step) => step.id === id)?.uses ?? ''
}
