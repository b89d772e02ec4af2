import type { Clock } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { JsonSchema, ObjectSchema, Static } from '../../core/json-schema.ts'
import type { JobControl, JobRunner } from '../jobs/job.ts'
import type { MatchEngine } from '../matching/match-engine.ts'
import type { Network } from '../network/network.ts'
import type { BlobFolders } from '../storage/blob-folders.ts'
import type { Snapshots } from '../storage/snapshots.ts'
import type { Store } from '../storage/store.ts'
import type { Tokens } from '../tokens.ts'
import type { FaultRules } from './fault-rules.ts'
import type { Lag } from './lag.ts'
import type { RequestJournal } from './request-journal.ts'
import type { ServiceClock } from './service-clock.ts'

/** The context of the control API. */
export interface ControlContext {
  readonly network: Network
  readonly tokens: Tokens
  readonly store: Store
  readonly blobs: BlobFolders
  readonly snapshots: Snapshots
  readonly clock: ServiceClock
  /** The machine's time. */
  readonly wall: Clock
  readonly jobs: JobControl
  readonly runner: Pick<JobRunner, 'settle' | 'whileIdle'>
  readonly engine: Pick<MatchEngine, 'exportSet'>
  readonly journal: RequestJournal
  readonly faults: FaultRules
  readonly lag: Lag
  /** Whether jobs are being processed; before that, the population is still being made. */
  isReady(): boolean
  /** The address where the service answers, such as `http://127.0.0.1:4010`. */
  origin(): string
  /** The path of a file with this name that nothing else writes, for an answer that is made on disk. */
  scratchPath(name: string): string
}

/** A file that is the answer; it is removed after it was sent. */
export interface CsvAnswer {
  readonly csvFile: string
}

/** One operation of the control API, as data. Routing, validation and the reference page are derived from it. */
export interface ControlOperation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below `/_control`, with `{name}` for the input fields that go into the path. */
  readonly path: `/${string}`
  /** One line, imperative. */
  readonly summary: string
  readonly description?: string
  /** All parameters: of the path, then of the query (GET, DELETE) or of the JSON body (other methods). */
  readonly input: ObjectSchema
  /** Rules between fields: each is a JSON Schema whose `description` is the error text. */
  readonly rules?: readonly JsonSchema[]
  /** The answer, in a few words. */
  readonly answer: string
  /** Whether it needs no token. */
  readonly open?: true
  handle(control: ControlContext, input: object): ControlAnswer | Promise<ControlAnswer>
}
export type ControlAnswer = JsonObject | CsvAnswer

/** An operation whose handler takes the input that its schema describes. */
export function controlOperation<const Input extends ObjectSchema>(
  operation: Omit<ControlOperation, 'input' | 'handle'> & {
    readonly input: Input
    handle(control: ControlContext, input: Static<Input>): ControlAnswer | Promise<ControlAnswer>
  },
): ControlOperation {
  // The input is checked against the schema before a handler gets it.
  return operation as ControlOperation
}

export const noInput = { type: 'object', additionalProperties: false, properties: {} } as const

export const howMany = (maximum: number) =>
  ({ type: 'integer', minimum: 1, maximum, description: 'At most this many; default 100.' }) as const

/** The input of a list that has no filter. */
export const newest = { type: 'object', additionalProperties: false, properties: { limit: howMany(1000) } } as const

/** A moment as text for people: RFC 3339, in UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
