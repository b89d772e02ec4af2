import { Counter, Histogram, type Registry } from 'prom-client'
import type { RunEvent } from '../../core/run-event.ts'

/** From a second to two days, because runs wait for jobs and for people. */
const RUN_SECONDS = [1, 10, 60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800]

/** Counts the events in the runs of this process. Returns the function that receives them. */
export function runMetrics(
  registers: Registry[],
  options: { readonly pipeline: (name: string) => string; readonly lookUp: (runId: string) => RunLabels | undefined },
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
        steps.inc({ type: memory.stepTypeOf(runId, event.step), status: event.status })
        return
      case 'step.retry':
        retries.inc({ type: memory.stepTypeOf(runId, event.step) })
        return
      case 'run.finished': {
        ended.inc({ pipeline: pipeline(memory.pipelineOf(runId)), status: event.status })
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

/** Remembers the metric labels of runs. */
interface RunMemory {
  /** Returns whether this is the first event of the run. */
  note(event: RunEvent): boolean
  pipelineOf(runId: string): string
  stepTypeOf(runId: string, step: string): string
}

interface Remembered {
  readonly labels: RunLabels | undefined
  /** Types of the steps in progress. */
  readonly types: Map<string, string>
}

/**
 * The most runs in memory. No event reports that a run has left this process, so the oldest are evicted; they are
 * looked up again when needed.
 */
const MOST_RUNS = 20_000
const UNKNOWN = 'unknown'

/**
 * `lookUp` finds the labels that are not in memory: those of a run that another process, or an earlier one, started.
 */
function createRunMemory(lookUp: (runId: string) => RunLabels | undefined): RunMemory {
  const runs = new Map<string, Remembered>()

  function remember(runId: string, labels: RunLabels | undefined): Remembered {
    const entry = { labels, types: new Map<string, string>() }
    runs.set(runId, entry)
    const [oldest] = runs.keys()
    if (runs.size > MOST_RUNS && oldest !== undefined) runs.delete(oldest)
    return entry
  }
  const recall = (runId: string) => runs.get(runId) ?? remember(runId, lookUp(runId))

  return {
    note(event) {
      const { runId } = event
      const isNew = !runs.has(runId)
      if (event.event === 'run.started') {
        if (isNew) remember(runId, { pipeline: event.pipeline, stepType: (step) => lookUp(runId)?.stepType(step) })
      } else if (event.event === 'step.started') recall(runId).types.set(event.step, event.uses)
      else if (event.event === 'run.finished') runs.delete(runId)
      return isNew
    },
    pipelineOf: (runId) => recall(runId).labels?.pipeline ?? UNKNOWN,
    stepTypeOf(runId, step) {
      const { labels, types } = recall(runId)
      return types.get(step) ?? labels?.stepType(step) ?? UNKNOWN
    },
  }
}
