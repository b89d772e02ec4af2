import type { ObjectSchema } from './json-schema.ts'
import type { SchemaViolation } from './validation.ts'

/** The step type that runs another pipeline. */
export const NESTING_STEP = 'pipelines.run'

/** A step type that a pipeline can use: its name, input and output. Pure data, known without any service. */
export interface StepType {
  /** For example, `files.upload`. */
  readonly name: string
  readonly summary: string
  readonly description?: string
  /** Schema of `with`; no other fields are allowed in it. */
  readonly input: ObjectSchema
  /**
   * Returns how a value violates that schema. The value is in its in-memory form: 64-bit ids as decimal strings, other
   * integers as numbers.
   */
  readonly check: (input: unknown) => readonly SchemaViolation[]
  /** Schema of `steps.ID.outputs`. The outputs may also have other fields. */
  readonly output: ObjectSchema
  /** Whether it starts a job that `await` applies to. */
  readonly startsJob: boolean
  /** The fields of `with` that need the step to wait for its job, so they cannot be used with `await: false`. */
  readonly needsAwait?: readonly string[]
}
