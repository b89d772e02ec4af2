import type { RunEvent } from '../../core/run-event.ts'

/** What of a run its later events do not say. */
export interface RunLabels {
  readonly pipeline: string
  /** The type of one of its steps. */
  stepType(step: string): string | undefined
}

/** Remembers of runs what metrics are labelled with. */
export interface RunMemory {
  /** Returns whether it is the first that was heard of the run. */
  note(event: RunEvent): boolean
  pipelineOf(runId: string): string
  stepTypeOf(runId: string, step: string): string
}

interface Remembered {
  readonly labels: RunLabels | undefined
  /** Of the steps that are under way. */
  readonly types: Map<string, string>
}

/** A run that leaves this process does not say so; what is forgotten of the oldest is found again where it is needed. */
const MOST_RUNS = 20_000
const UNKNOWN = 'unknown'

/** `lookUp` finds what is not remembered: of a run that another process, or an earlier one, had started. */
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
