import type { Signal } from '../contract/enumerations.ts'
import type { OperationId } from '../contract/operations.ts'
import type { Position } from '../core/diagnostic.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { RunStatus } from '../core/run.ts'
import type { FaultSpec } from '../service/control/fault-rule.ts'

/** A `*.test.yaml` that was read and checked: what a pipeline should do in its own world. */
export interface TestDocument {
  readonly file: string
  readonly text: string
  /** Absolute path of the tested document. */
  readonly pipeline: string
  readonly given: Given
  readonly tests: readonly TestCase[]
}

/** The world in which each test begins. */
export interface Given {
  /** When it begins, in milliseconds since 1970. */
  readonly from: number
  /** The files of the project, by their paths relative to the tested document. */
  readonly files: ReadonlyMap<string, FileSpec>
  readonly profile: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly service: {
    readonly latencies: 'fast' | 'realistic'
    /** Absolute path of a network.yaml; if absent, the built-in network. */
    readonly network: string | undefined
  }
}

/** The content of a file. */
export type FileSpec =
  | {
      /** How many people the service knows. */
      readonly people: number
      /** How many additional keys belong to nobody. */
      readonly others: number
      readonly signal: Signal
      /** A different seed picks different people. */
      readonly seed: number | undefined
    }
  | { readonly text: string }
  /** Absolute path of a file of the project. */
  | { readonly copy: string }

export interface TestCase {
  /** What the test shows, as the end of a sentence, such as `activates once`. */
  readonly it: string
  readonly at: Position
  readonly events: readonly TestEvent[]
}

/** One thing that happens, and what should follow. */
export interface TestEvent {
  readonly at: Position
  readonly act: TestAct
  /**
   * Files that change right before the event; an undefined file is removed. With `nights`, they change before each
   * night.
   */
  readonly change: ReadonlyMap<string, FileSpec | undefined>
  readonly faults: readonly FaultSpec[]
  /** The process dies before a request for this operation arrives, or before its response does, and starts again. */
  readonly kill: { readonly when: 'before' | 'after'; readonly operation: OperationId } | undefined
  readonly expect: TestExpectation
}

export type TestAct =
  | { readonly kind: 'run'; readonly inputs: JsonObject }
  | { readonly kind: 'nights'; readonly count: number }
  /** The next slot of a trigger, or of any trigger if undefined. */
  | { readonly kind: 'slot'; readonly trigger: string | undefined }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'drop'; readonly files: ReadonlyMap<string, FileSpec> }
  | {
      readonly kind: 'decide'
      readonly step: string
      readonly decision: 'approved' | 'rejected'
      /** Who decides; if undefined, somebody who is allowed to. */
      readonly by: string | undefined
    }
  | { readonly kind: 'partner'; readonly does: 'approve' | 'reject' | 'fail'; readonly step: string }
  | { readonly kind: 'retry'; readonly from: string | undefined }
  | { readonly kind: 'cancel' }
  /** Nothing is done: the event has only changes, faults or a check of the current state. */
  | { readonly kind: 'nothing' }

/** What should be true after an event. A field is undefined if the test does not name it. */
export interface TestExpectation {
  readonly at: Position
  /** The status of the newest run. */
  readonly status: RunStatus | undefined
  /** For each status, the number of runs that ended or rest with it. */
  readonly runs: Readonly<Partial<Record<RunStatus, number>>> | undefined
  /** The step that is waiting for a person. */
  readonly held: string | undefined
  readonly error: { readonly code?: string | undefined; readonly step?: string | undefined } | undefined
  /** Each named field must be there with that value; there may be others. */
  readonly outputs: JsonObject | undefined
  /** How many writes of each operation took effect. */
  readonly writes: Readonly<Partial<Record<OperationId, number>>> | undefined
  /** Kinds of notifications by channel. */
  readonly notified: Readonly<Record<string, readonly string[]>> | undefined
  /** The web hooks of steps: how many, or what each contains. */
  readonly sent: number | readonly { readonly url?: string; readonly body?: Json }[] | undefined
  /** How many things there are at the service. */
  readonly live: Readonly<Partial<Record<'segments' | 'matches' | 'activations', number>>> | undefined
  /** How many steps have each action according to `audience plan`. */
  readonly plan: Readonly<Record<string, number>> | undefined
  /** Expressions that must be true, as they are written: `${{ run.outputs.matchCount > 1000 }}`. */
  readonly check: readonly string[] | undefined
}
