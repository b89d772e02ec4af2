import type { JsonObject } from '../core/json.ts'

/** What a step would do now, as far as it is known before the run. */
export interface Forecast {
  /** `afterRun`: the action depends on something that is known only during the run. */
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
  /** The writes that would be sent, in order. */
  readonly requests: readonly ForecastRequest[]
  /** Outputs that are already known, in memory form. */
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
  readonly input: JsonObject
  readonly unknown: readonly string[]
  /** Segments that earlier steps of the plan rebuild. */
  readonly rebuilt: ReadonlySet<string>
}

/** Reads the service and never writes. */
export type ForecastStep = (question: ForecastQuestion) => Promise<Forecast>
