import type { ValueOf } from '../../../core/json-schema.ts'
import type { Pipeline } from '../../../core/pipeline.ts'
import type { StepType } from '../../../core/step-type.ts'
import type { RunHistory } from '../../../state/run-history.ts'
import type { ApiOperations } from '../../api/operations.ts'
import type { Caller } from '../caller.ts'
import type { RunWithRecords } from '../run-facts.ts'

/** The operations whose responses can take a long time to make, because they need many records or many hours. */
export type ViewId = 'runs.get' | 'runs.steps' | 'runs.document' | 'runs.logs' | 'runs.compare' | 'hours.list'

export interface ViewDeps {
  runs: Pick<RunHistory, 'countsByHour' | 'blocked' | 'find' | 'page' | 'records' | 'decisionsSent'>
  /** Reads a run and its records. Throws `unknown-run`. */
  readRun: (runId: string) => Promise<RunWithRecords>
  /** The reader of documents. It is large, so it is loaded only when a view needs it. */
  reader: () => Promise<{
    readPipeline(source: { file: string; text: string }): Pipeline
    stepTypes: ReadonlyMap<string, StepType>
  }>
}

/** The current document of the run's pipeline in `audience start`. */
export interface Today extends Pick<Pipeline, 'digest' | 'text'> {
  readonly steps: ValueOf<ApiOperations['runs.document']['output']>['steps']
}

/** What is needed to make a response, besides the input and the state. */
export interface Beside {
  readonly today?: Today | undefined
  readonly caller?: Pick<Caller, 'by' | 'role'>
}

/** Makes the response of an operation in the thread that reads the state. */
export type View<Id extends ViewId> = (
  deps: ViewDeps,
  input: ValueOf<ApiOperations[Id]['input']>,
  beside: Beside,
) => Promise<ValueOf<ApiOperations[Id]['output']>>
