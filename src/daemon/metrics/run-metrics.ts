import type { RunEvent } from '../../core/run-event.ts'
import { METRICS } from './definitions.ts'
import type { Families } from './families.ts'

/** Counts the events in the runs of this process. */
export function runMetrics(
  { counter, histogram }: Families,
  options: { label: (pipeline: string) => string; lookUp: LookUpLabels },
) {
  const { label, lookUp } = options
  const memory = createRunMemory(lookUp)
  const started = counter('audience_runs_started_total')
  const ended = counter('audience_runs_total')
  const duration = histogram('audience_run_duration_seconds')
  const steps = counter('audience_steps_total')
  const retries = counter('audience_step_retries_total')

  const onEvent = (event: RunEvent) => {
    const { runId } = event
    switch (event.event) {
      case 'run.started':
        // The event repeats when a run resumes after it was parked.
        if (memory.note(event)) started.inc({ pipeline: label(event.pipeline) })
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
        memory.withPipeline(runId, (name) => ended.inc({ pipeline: label(name), status: event.status }))
        duration.observe({ status: event.status }, event.durationMs / 1000)
        memory.note(event)
      }
    }
  }

  return {
    onEvent,
    /** The counters of a pipeline exist from here on. */
    load(name: string) {
      const pipeline = label(name)
      started.inc({ pipeline }, 0)
      for (const status of METRICS.audience_runs_total.labels.status) ended.inc({ pipeline, status }, 0)
    },
  }
}

/** Labels that the later events of a run do not contain. */
export interface RunLabels {
  readonly pipeline: string
  /** The type of one of its steps. */
  stepType(step: string): string | undefined
}

/** Finds the labels of a run that another process, or an earlier one, started. */
export type LookUpLabels = (runId: string) => Promise<RunLabels | undefined>

interface Remembered {
  /** The pipeline, if its first event was seen. */
  readonly pipeline?: string
  /** Types of the steps in progress. */
  readonly types: Map<string, string>
  labels?: Promise<RunLabels | undefined>
}

/**
 * How many runs stay in memory. No event reports that a run has left this process, so the oldest are evicted. They are
 * looked up again when needed.
 */
const MOST_RUNS = 20_000
const UNKNOWN = 'unknown'

/** Remembers the metric labels of runs. A label that has to be looked up is used later, as soon as it is known. */
function createRunMemory(lookUp: LookUpLabels) {
  const runs = new Map<string, Remembered>()

  function remember(runId: string, pipeline?: string): Remembered {
    const entry = { types: new Map<string, string>(), pipeline }
    runs.set(runId, entry)
    const [oldest] = runs.keys()
    if (runs.size > MOST_RUNS && oldest !== undefined) runs.delete(oldest)
    return entry
  }
  const recall = (runId: string) => runs.get(runId) ?? remember(runId)
  const withLabels = (runId: string, run: Remembered, use: (labels: RunLabels | undefined) => void) => {
    // Other checks report a state that cannot be read.
    run.labels ??= lookUp(runId).catch(() => undefined)
    void run.labels.then(use)
  }

  return {
    /** Returns whether this is the first event of the run. */
    note(event: RunEvent) {
      const { runId } = event
      const isNew = !runs.has(runId)
      if (event.event === 'run.started') {
        if (isNew) remember(runId, event.pipeline)
      } else if (event.event === 'step.started') recall(runId).types.set(event.step, event.uses)
      else if (event.event === 'run.finished') runs.delete(runId)
      return isNew
    },
    withPipeline(runId: string, use: (pipeline: string) => void) {
      const run = recall(runId)
      if (run.pipeline !== undefined) use(run.pipeline)
      else withLabels(runId, run, (labels) => use(labels?.pipeline ?? UNKNOWN))
    },
    withStepType(runId: string, step: string, use: (type: string) => void) {
      const run = recall(runId)
      const type = run.types.get(step)
      if (type !== undefined) use(type)
      else withLabels(runId, run, (labels) => use(labels?.stepType(step) ?? UNKNOWN))
    },
  }
}
