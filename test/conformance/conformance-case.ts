import type { Expect } from './expect.ts'
import type { Session } from './session.ts'

/** Something that a case needs but that the run may lack. */
export const NEEDS = {
  sample: 'give --sample FILE with known e-mail addresses',
  other: 'give --other-base-url and --other-token of another participant',
  control: 'give --control-url and --control-token',
  slow: 'only with --slow',
} as const
export type Need = keyof typeof NEEDS

/** One statement about a service that follows from one decision of docs/decisions.md. */
export interface ConformanceCase {
  readonly decision: number
  /** A statement that is true for a conforming service. */
  readonly name: string
  readonly needs?: readonly Need[]
  /** Throws Deviation when the statement is false, NotApplicable when this service cannot show it. */
  readonly run: (session: Session, expect: Expect) => Promise<void>
}

export interface CaseResult {
  readonly decision: number
  readonly name: string
  readonly outcome: 'pass' | 'fail' | 'not applicable'
  /** Why it failed or does not apply. */
  readonly reason?: string
  readonly ms: number
}

/** The service under test cannot show it, or the run lacks something that it needs. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}
