import type { ObjectSchema } from './json-schema.ts'
import type { SchemaViolation } from './validation.ts'

/** What a pipeline can use: a name, what it takes and what it gives. Pure data, known without any service. */
export interface StepType {
  /** Such as `files.upload`. */
  readonly name: string
  readonly summary: string
  readonly description?: string
  /** Schema of `with`; nothing else is allowed in it. */
  readonly input: ObjectSchema
  /** How a value breaks that schema, in memory form: 64-bit ids as decimal strings, other integers as numbers. */
  readonly check: (input: unknown) => readonly SchemaViolation[]
  /** Schema of `steps.ID.outputs`; fields that it does not name may be there too. */
  readonly output: ObjectSchema
  /** Whether it starts a job that `await` is about. */
  readonly startsJob: boolean
}
