import type { NotBy } from '../core/approval.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import type { RunState } from './run-state.ts'

/** All inputs of a decision about a run, except the time. */
export interface RunFacts {
  readonly runId: string
  readonly pipeline: Pipeline
  readonly state: RunState
  readonly stepTypes: ReadonlyMap<string, StepType>
  /** The environment variables that the document names. */
  readonly env: Readonly<Record<string, string>>
  /** Who may not approve, whatever the document says. */
  readonly approvalsNotBy?: NotBy | undefined
}
