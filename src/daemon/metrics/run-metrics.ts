import { Counter, Histogram, type Registry } from 'prom-client'
import type { RunEvent } from '../../core/run-event.ts'

/** From a second to two days, because runs wait for jobs and for people. */
const RUN_SECONDS = [1, 10, 60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800]

/** Counts the events in the runs of this process. Returns the function that receives them. */
export function runMetrics(
  registers: Registry[],
  options: { readonly pipeline: (name: string) => string; readonly lookUp: LookUpLabels },
): (event: RunEvent) => void {
  const { pipeline, lookUp } = options
  const memory = createRunMemory(lookUp)
  const started = new Counter({
    name: 'audience_runs_started_total',
    help: 'Runs that this process began.',
    labelNames: ['pipeline'],
    registers,
  })
  const ended = new Counter({
    name: 'audience_runs_total',
    help: 'Runs that ended in this process, by how they ended.',
    labelNames: ['pipeline', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'audience_run_duration_seconds',
    help: 'From the submission of a run to its end, waiting included.',
    labelNames: ['status'],
    buckets: RUN_SECONDS,
    registers,
  })
  const steps = new Counter({
    name: 'audience_steps_total',
    help: 'Step executions that ended in this process, by step type and how they ended.',
    labelNames: ['type', 'status'],
    registers,
  })
  const retries = new Counter({
    name: 'audience_step_retries_total',
    help: 'Attempts at a step that failed and were followed by another.',
    labelNames: ['type'],
    registers,
  })

  return (event) => {
    const { runId } = event
    switch (event.event) {
      case 'run.started':
        // The event repeats when a run resumes after it was parked.
        if (memory.note(event)) started.inc({ pipeline: pipeline(event.pipeline) })
        return
      case 'step.started':
        memory.note(event)
        return
      case 'step.finished':
        memory.withStepType(runId, event.step, (type) => steps.inc({ type, status: event.status }))
        return
      case 'step.retry':
        memory.withStepType(runId, event.step, (type) => retries.inc({ type }))
        return
      case 'run.finished': {
        memory.withPipeline(runId, (name) => ended.inc({ pipeline: pipeline(name), status: event.status }))
        duration.observe({ status: event.status }, event.durationMs / 1000)
        memory.note(event)
      }
    }
  }
}

/** What the later events of a run do not contain. */
export interface RunLabels {
  readonly pipeline: string
  /** The type of one of its steps. */
  stepType(step: string): string | undefined
}

/** Finds the labels of a run that another process, or an earlier one, started. */
export type LookUpLabels = (runId: string) => Promise<RunLabels | undefined>

/** Remembers the metric labels of runs. A label that has to be looked up is used later, as soon as it is known. */
interface RunMemory {
  /** Returns whether this is the first event of the run. */
  note(event: RunEvent): boolean
  withPipeline(runId: string, use: (pipeline: string) => void): void
  withStepType(runId: string, step: string, use: (type: string) => void): void
}

interface Remembered {
  /** Known from its first event. */
  readonly pipeline?: string
  /** Types of the steps in progress. */
  readonly types: Map<string, string>
  labels?: Promise<RunLabels | undefined>
}

/**
 * The most runs in memory. No event reports that a run has left this process, so the oldest are evicted; they are
 * looked up again when needed.
 */
const MOST_RUNS = 20_000
const UNKNOWN = 'unknown'

function createRunMemory(lookUp: LookUpLabels): RunMemory {
  const runs = new Map<string, Remembered>()

  function remember(runId: string, pipeline?: string): Remembered {
    const entry = { types: new Map<string, string>(), ...(pipeline !== undefined && { pipeline }) }
    runs.set(runId, entry)
    const [oldest] = runs.keys()
    if (runs.size > MOST_RUNS && oldest !== undefined) runs.delete(oldest)
    return entry
  }
  const recall = (runId: string) => runs.get(runId) ?? remember(runId)
  const withLabels = (runId: string, run: Remembered, use: (labels: RunLabels | undefined) => void) => {
    // A state that cannot be read now has other signs than a metric.
    run.labels ??= lookUp(runId).catch(() => undefined)
    void run.labels.then(use)
  }

  return {
    note(event) {
      const { runId } = event
      const isNew = !runs.has(runId)
      if (event.event === 'run.started') {
        if (isNew) remember(runId, event.pipeline)
      } else if (event.event === 'step.started') recall(runId).types.set(event.step, event.uses)
      else if (event.event === 'run.finished') runs.delete(runId)
      return isNew
    },
    withPipeline(runId, use) {
      const run = recall(runId)
      if (run.pipeline !== undefined) use(run.pipeline)
      else withLabels(runId, run, (labels) => use(labels?.pipeline ?? UNKNOWN))
    },
    withStepType(runId, step, use) {
      const run = recall(runId)
      const type = run.types.get(step)
      if (type !== undefined) use(type)
      else withLabels(runId, run, (labels) => use(labels?.stepType(step) ?? UNKNOWN))
    },
  }
}
