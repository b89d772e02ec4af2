import type { Clock } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { JsonSchema, ObjectSchema, Static } from '../../core/json-schema.ts'
import type { JobControl } from '../jobs/job-control.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
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

/** What the control API works with. */
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
  /** Whether jobs are being worked on; before, the population is still being made. */
  isReady(): boolean
  /** Where the service answers, such as `http://127.0.0.1:4010`. */
  origin(): string
  /** A file of this name that nobody else writes, for an answer that is made on disk. */
  scratchPath(name: string): string
}

/** A file that is the answer, and is removed once it was sent. */
export interface CsvAnswer {
  readonly csvFile: string
}

/** One operation of the control API, as data: routing, validation and the reference page come from it. */
export interface ControlOperation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below `/_control`, with `{name}` for the input fields that go into the path. */
  readonly path: `/${string}`
  /** One line, imperative. */
  readonly summary: string
  readonly description?: string
  /** All parameters: of the path, then of the query of a GET or DELETE, else of the JSON body. */
  readonly input: ObjectSchema
  /** Rules between fields, each a JSON Schema with a `description` that is the error text. */
  readonly rules?: readonly JsonSchema[]
  /** What comes back, in a few words. */
  readonly answer: string
  /** Whether it takes no token. */
  readonly open?: true
  handle(control: ControlContext, input: object): ControlAnswer | Promise<ControlAnswer>
}
export type ControlAnswer = JsonObject | CsvAnswer

/** An operation whose handler takes what its schema says. */
export function controlOperation<const Input extends ObjectSchema>(
  operation: Omit<ControlOperation, 'input' | 'handle'> & {
    readonly input: Input
    handle(control: ControlContext, input: Static<Input>): ControlAnswer | Promise<ControlAnswer>
  },
): ControlOperation {
  // Input has been checked against the schema before a handler sees it.
  return operation as ControlOperation
}

export const noInput = { type: 'object', additionalProperties: false, properties: {} } as const

export const howMany = (maximum: number) =>
  ({ type: 'integer', minimum: 1, maximum, description: 'How many at the most; 100 where it is not given.' }) as const

/** A moment for whoever reads it: RFC 3339, in UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
