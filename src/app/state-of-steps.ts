import type { Engine } from '../core/engine.ts'
import type { RunHistory } from '../state/run-history.ts'
import type { StepMemory } from '../state/step-memory.ts'

type StepRuns = Pick<RunHistory, 'page' | 'records' | 'lastSuccess'>
export type StepEngine = Pick<Engine, 'submit' | 'resume' | 'cancel' | 'events'>

/** What steps use of the state. */
export interface StateOfSteps {
  readonly memory: StepMemory
  readonly runs: StepRuns
  readonly engine: StepEngine
}

type Lasting = <T>(work: () => Promise<T>) => Promise<T>

/**
 * The state for a step, which an outage of the database does not fail: `lasting` does again what one has failed. All of it
 * may be done twice; a run that a step submits has a key. What cancels a run may outlast the step: it is `untilClosed`.
 */
export function stateOfSteps(
  { memory, runs, engine }: Pick<StateOfSteps, 'memory' | 'runs'> & { readonly engine: () => StepEngine },
  { lasting, untilClosed }: { readonly lasting: Lasting; readonly untilClosed: Lasting },
): StateOfSteps {
  return {
    memory: {
      get: (key) => lasting(() => memory.get(key)),
      set: (key, entry) => lasting(() => memory.set(key, entry)),
    },
    runs: {
      page: (filter) => lasting(() => runs.page(filter)),
      records: (runId, after) => lasting(() => runs.records(runId, after)),
      lastSuccess: (pipeline) => lasting(() => runs.lastSuccess(pipeline)),
    },
    engine: {
      submit: (request) => lasting(() => engine().submit(request)),
      resume: (runId) => lasting(() => engine().resume(runId)),
      cancel: (runId) => untilClosed(() => engine().cancel(runId)),
      events: (runId) => engine().events(runId),
    },
  }
}
