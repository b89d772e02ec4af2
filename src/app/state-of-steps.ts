import type { Engine } from '../core/engine.ts'
import type { Sealing } from '../core/sealing.ts'
import type { MadeThings } from '../state/made-things.ts'
import type { RunHistory } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'
import type { StepMemory } from '../state/step-memory.ts'
import type { StepPlanDeps } from '../steps/define-step.ts'

type StepRuns = Pick<RunHistory, 'page' | 'records' | 'lastSuccess'>
export type StepEngine = Pick<Engine, 'submit' | 'resume' | 'cancel' | 'events'>

/** The parts of the state that steps use. */
export interface StateOfSteps {
  readonly memory: StepMemory
  readonly made: MadeThings
  readonly runs: StepRuns
  /** A promise, because a worker of a database may get steps while its engine is still being opened. */
  readonly engine: Promise<StepEngine>
}

type Lasting = <T>(work: () => Promise<T>) => Promise<T>

/**
 * The same state, but an outage of the database delays a step instead of failing it. `lasting` repeats work until it
 * succeeds or the step ends. Repeating is safe: a submitted run has a key, and nothing else here adds anything. A child
 * run may be cancelled after its step has ended, so cancelling uses `untilClosed`.
 */
export function stateOfSteps(
  { memory, made, runs, engine }: StateOfSteps,
  { lasting, untilClosed }: { lasting: Lasting; untilClosed: Lasting },
): StateOfSteps {
  return {
    memory: {
      get: (key, sealing) => lasting(() => memory.get(key, sealing)),
      set: (key, entry, sealing) => lasting(() => memory.set(key, entry, sealing)),
    },
    made: {
      note: (thing, sealing) => lasting(() => made.note(thing, sealing)),
      forget: (request) => lasting(() => made.forget(request)),
      byId: (kind, id, sealing) => lasting(() => made.byId(kind, id, sealing)),
      named: (kind, name, sealing) => lasting(() => made.named(kind, name, sealing)),
    },
    runs: {
      page: (filter) => lasting(() => runs.page(filter)),
      records: (runId, after) => lasting(() => runs.records(runId, after)),
      lastSuccess: (pipeline) => lasting(() => runs.lastSuccess(pipeline)),
    },
    engine: engine.then(({ submit, resume, cancel, events }) => ({
      submit: (request) => lasting(() => submit(request)),
      resume: (runId) => lasting(() => resume(runId)),
      cancel: (runId) => untilClosed(() => cancel(runId)),
      events,
    })),
  }
}

/**
 * The step memory and the made things, for the steps of a document. The secrets of the document are replaced in what
 * these steps store.
 */
export function sealedFor(sealing: Sealing | undefined, own: Pick<StateOfSteps, 'memory' | 'made'>) {
  const { stepMemory, made } = sealedReads(sealing, own)
  return {
    stepMemory: {
      ...stepMemory,
      set: (key, entry) => own.memory.set(key, entry, sealing),
    } satisfies StepMemory,
    made: {
      ...made,
      note: (thing) => own.made.note(thing, sealing),
      forget: (request) => own.made.forget(request),
    } satisfies MadeThings,
  }
}

/** The step memory and the made things, only for reading. A plan stores nothing, so it needs no more. */
export function sealedReads(
  sealing: Sealing | undefined,
  { memory, made }: Pick<ReadableState, 'memory' | 'made'>,
): Pick<StepPlanDeps, 'stepMemory' | 'made'> {
  return {
    stepMemory: { get: (key) => memory.get(key, sealing) },
    made: {
      byId: (kind, id) => made.byId(kind, id, sealing),
      named: (kind, name) => made.named(kind, name, sealing),
    },
  }
}
