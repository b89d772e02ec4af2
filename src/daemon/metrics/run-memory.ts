import type { RunEvent } from '../../core/run-event.ts'

/** What the later events of a run do not contain. */
export interface RunLabels {
  readonly pipeline: string
  /** The type of one of its steps. */
  stepType(step: string): string | undefined
}

/** Remembers the metric labels of runs. */
export interface RunMemory {
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
export function createRunMemory(lookUp: (runId: string) => RunLabels | undefined): RunMemory {
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
