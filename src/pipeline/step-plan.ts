import type { FieldChange, ListChange } from '../core/format/field-change.ts'
import type { JsonObject } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { StepOutputs } from '../core/run.ts'
import type { StepType } from '../core/step-type.ts'
import type { GuardPlan } from '../runs/guards/plan-guard.ts'

/** What a run would do, step by step. */
export interface StepPlan extends Omit<Forecast, 'action' | 'complete'> {
  readonly id: string
  /** `forEach` for a forEach over several steps. */
  readonly uses: string
  /** In a forEach with known items: the name of the execution, such as `audience[seg07].segment`. */
  readonly execution?: string
  /** The name of an item without a key, to show to people. */
  readonly label?: string
  /** `skip`: the step's `if` is false. */
  readonly action: Forecast['action'] | 'skip'
  /** What to do about a `fail`. */
  readonly hint?: string
  /** Fields of `with` that are known only during the run. */
  readonly unknown: readonly string[]
  /** For a segment that is built from another list: the figures of that list. */
  readonly list?: ListChange
  readonly guards: readonly Check[]
  /** What the `guard` of the step would measure, and which limits it would use. */
  readonly guard?: GuardPlan
  /**
   * For a forEach: the plans of its executions, in the order of the items. For unknown items, one plan for each of its
   * steps.
   */
  readonly items?: readonly StepPlan[]
}

/** An expectation. */
export interface Check {
  readonly check: string
  readonly state: 'holds' | 'fails' | 'afterRun'
}

export interface PlanDeps {
  pipeline: Pipeline
  inputs: JsonObject
  /** The name of the profile that it plans for. */
  profile: string
  /** The environment variables that documents may read; absent if a plan must not show them at all. */
  env?: Readonly<Record<string, string>>
  /** The outputs of the last successful run, by step. */
  last: StepOutputs | undefined
  cwd: string
  stepTypes: ReadonlyMap<string, StepType>
  forecast: ForecastStep
  /** What the guards of steps have learned, by step. */
  guards: ReadonlyMap<string, GuardPlan>
}

/** What a step would do now, as far as it is known before the run. */
export interface Forecast {
  /** `afterRun`: the action depends on something that is only known during the run. */
  readonly action:
    | 'prepare'
    | 'upload'
    | 'create'
    | 'update'
    | 'refresh'
    | 'delete'
    | 'replace'
    | 'fail'
    | 'leave'
    | 'read'
    | 'send'
    | 'wait'
    | 'run'
    | 'afterRun'
  readonly why?: string
  /** Fields that differ from what the service has. */
  readonly changed?: readonly string[]
  /** The fields of `changed` with their values, and every field that an update changes. */
  readonly changes?: readonly FieldChange[]
  /** The writes that would be sent, in order. */
  readonly requests: readonly ForecastRequest[]
  /** Outputs that are already known, in their in-memory form. */
  readonly outputs: JsonObject
  /** Whether these are all outputs of the step. */
  readonly complete: boolean
}

export interface ForecastRequest {
  readonly method: string
  readonly path: string
  readonly body?: JsonObject
}

/** A step with the known fields of `with`, and the names of the fields that are known only during the run. */
export interface ForecastQuestion {
  readonly pipeline: string
  readonly stepId: string
  /** The step execution as people write it. */
  readonly stepKey: string
  readonly uses: string
  /**
   * The environment variables that the document names. What its steps remember contains references to these variables.
   */
  readonly env?: readonly string[]
  readonly input: JsonObject
  readonly unknown: readonly string[]
  /** Segments that earlier steps of the plan rebuild. */
  readonly rebuilt: ReadonlySet<string>
}

/** Reads the service and never writes. */
export type ForecastStep = (question: ForecastQuestion) => Promise<Forecast>
