import type { Position } from '../core/diagnostic.ts'
import type { RunStatus } from '../core/run.ts'

/** The options of a test run. */
export interface RunOptions {
  /** The folder of the project, which contains its audience.yaml. */
  root: string
  seed: number
  /** A folder for worlds, and for the people of their services; the caller removes it. */
  scratch: string
  /** Whether the worlds of failed tests stay. */
  keep: boolean
  /**
   * Whether a test continues after an event whose counts are not the expected ones, because the expected counts will be
   * rewritten.
   */
  update?: boolean | undefined
}

/** What the process of a test file gets. `scratch` is for all test files together. */
export interface TestOrder extends RunOptions {
  /** Absolute path. */
  readonly file: string
  /** Only tests whose name contains this text. */
  readonly only: string | undefined
  /** The text of a file that does not exist yet. */
  readonly draft?: string | undefined
}

/** One difference from what a test expects. */
export interface Mismatch {
  /** The expectation that differs: `writes`, `status`. */
  readonly what: string
  readonly expected: string
  readonly seen: string
}

/** How one test ended. */
export interface TestResult {
  readonly it: string
  readonly at: Position
  /** Empty if the test passed. A test ends with the first event that does not meet its expectation. */
  readonly failures: readonly TestFailure[]
  /** The facts of each event that took place. */
  readonly facts: readonly EventFacts[]
  /** The requests to the service in the event that failed, oldest first. */
  readonly requests: readonly string[]
  /** What had not ended after the event that failed, and what it is waiting for, one per line. */
  readonly open: readonly string[]
  /** How much virtual time passed in its world, in milliseconds. */
  readonly livedMs: number
  /** A digest. Two digests are equal if the same requests, responses and records occurred at the same times. */
  readonly digest: string
  /** The folder of its world, if it was kept. */
  readonly kept?: string | undefined
  /** The expectations that were rewritten, with their positions before the rewrite. */
  readonly updated?: readonly TestFailure[] | undefined
}

export interface TestFailure extends Mismatch {
  readonly at: Position
  /** The number of the event in its test, from 0. */
  readonly event: number
}

/** What happened in an event, for code that writes expectations. */
export interface EventFacts {
  /** The runs of the event. */
  readonly runs: readonly RunFacts[]
  /** How many writes of each operation took effect, in the order of the first write of each. */
  readonly writes: Readonly<Record<string, number>>
  readonly live: Readonly<Record<'segments' | 'matches' | 'activations', number>>
  /** Kinds of messages by channel. */
  readonly notified: Readonly<Record<string, readonly string[]>>
  /** How many steps have each action in a plan; undefined if the event does not expect a plan. */
  readonly plan?: Readonly<Record<string, number>> | undefined
}

interface RunFacts {
  readonly status: RunStatus
  /** Why the run failed. */
  readonly error?: { readonly code: string; readonly step?: string | undefined; readonly message: string } | undefined
  readonly waits: readonly Wait[]
}

/**
 * A step that is waiting for somebody, by its name in a test: `ask`, or `refresh/ask` of a run that the step `refresh`
 * started.
 */
export interface Wait {
  readonly step: string
  readonly for: 'approval' | 'decision' | 'partner'
}

/** Whether an expectation may be rewritten from what was seen. */
export function isUpdatable(what: string): what is 'writes' | 'plan' {
  return what === 'writes' || what === 'plan'
}

/** The counts above zero: a count of zero means the same as one that is left out. */
export function nonZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return sorted(Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)))
}

export function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
