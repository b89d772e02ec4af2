import type { JsonObject } from '../core/json.ts'

/** What a step would do now, as far as it can be known before it is run. */
export interface Forecast {
  /** `afterRun`: what it does depends on something that only the run will tell. */
  readonly action:
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
  /** Outputs that are known already, in memory form. */
  readonly outputs: JsonObject
  /** Whether these are all of its outputs. */
  readonly complete: boolean
}

export interface ForecastRequest {
  readonly method: string
  readonly path: string
  readonly body?: JsonObject
}

/** A step with the fields of `with` that are known, and the names of those that only the run will tell. */
export interface ForecastQuestion {
  readonly pipeline: string
  readonly stepId: string
  readonly uses: string
  readonly input: JsonObject
  readonly unknown: readonly string[]
  /** Segments that earlier steps of the plan build anew. */
  readonly rebuilt: ReadonlySet<string>
}

/** Reads the service, and never writes. */
export type ForecastStep = (question: ForecastQuestion) => Promise<Forecast>
