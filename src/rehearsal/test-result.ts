import type { Position } from '../core/diagnostic.ts'

/** How tests run. */
export interface RunOptions {
  /** The folder of the project: that of its audience.yaml. */
  readonly root: string
  readonly seed: number
  /** A folder for worlds, and for the people of their services; the caller removes it. */
  readonly scratch: string
  /** The worlds of tests that fail stay. */
  readonly keep: boolean
}

/** One thing that is not as a test says. */
export interface Mismatch {
  /** The expectation: `writes`, `status`. */
  readonly what: string
  readonly expected: string
  readonly seen: string
}

/** How one test ended. */
export interface TestResult {
  readonly it: string
  readonly at: Position
  /** Empty if it passed. A test ends with its first event that is not as it says. */
  readonly failures: readonly Failure[]
  /** The requests to the service in the event that failed, oldest first. */
  readonly requests: readonly string[]
  /** How much time went by in its world, in milliseconds. */
  readonly livedMs: number
  /** The same if the same requests went out at the same times. */
  readonly digest: string
  /** The folder of its world, if it was kept. */
  readonly kept?: string | undefined
}

export interface Failure extends Mismatch {
  readonly at: Position
}
