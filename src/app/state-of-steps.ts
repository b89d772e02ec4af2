import type { Engine } from '../core/engine.ts'
import type { MadeThings } from '../state/made-things.ts'
import type { RunHistory } from '../state/run-history.ts'
import type { StepMemory } from '../state/step-memory.ts'

type StepRuns = Pick<RunHistory, 'page' | 'records' | 'lastSuccess'>
export type StepEngine = Pick<Engine, 'submit' | 'resume' | 'cancel' | 'events'>

/** The parts of the state that steps use. */
export interface StateOfSteps {
  readonly memory: StepMemory
  readonly made: MadeThings
  readonly runs: StepRuns
  /** A function, because steps may run before the caller of `openEngine` has the engine. */
  readonly engine: () => StepEngine
}

type Lasting = <T>(work: () => Promise<T>) => Promise<T>

/**
 * The same state, but an outage of the database delays a step instead of failing it. `lasting` repeats work until it
 * succeeds or the step ends. Repeating is safe: a submitted run has a key, and nothing else here adds anything. A child
 * run may be cancelled after its step has ended, so cancelling uses `untilClosed`.
 */
export function stateOfSteps(
  { memory, made, runs, engine }: StateOfSteps,
  { lasting, untilClosed }: { readonly lasting: Lasting; readonly untilClosed: Lasting },
): StateOfSteps {
  return {
    memory: {
      get: (key) => lasting(() => memory.get(key)),
      set: (key, entry) => lasting(() => memory.set(key, entry)),
    },
    made: {
      note: (thing) => lasting(() => made.note(thing)),
      forget: (request) => lasting(() => made.forget(request)),
      byId: (kind, id) => lasting(() => made.byId(kind, id)),
      named: (kind, name) => lasting(() => made.named(kind, name)),
    },
    runs: {
      page: (filter) => lasting(() => runs.page(filter)),
      records: (runId, after) => lasting(() => runs.records(runId, after)),
      lastSuccess: (pipeline) => lasting(() => runs.lastSuccess(pipeline)),
    },
    engine: () => ({
      submit: (request) => lasting(() => engine().submit(request)),
      resume: (runId) => lasting(() => engine().resume(runId)),
      cancel: (runId) => untilClosed(() => engine().cancel(runId)),
      events: (runId) => engine().events(runId),
    }),
  }
}
