import type { RunOptions } from './test-result.ts'

/** What the process of a test file gets. `scratch` is for all test files together. */
export interface TestOrder extends RunOptions {
  /** Absolute path. */
  readonly file: string
  /** Only tests whose name contains this text. */
  readonly only: string | undefined
  /** The text of a file that is not there yet. */
  readonly draft?: string | undefined
}
