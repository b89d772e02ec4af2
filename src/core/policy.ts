import type { HostPattern } from './host-pattern.ts'

/** What documents may touch, as audience.yaml says. What it does not list is undefined. */
export interface Policy {
  /** The folder of audience.yaml, absolute; without that file every document's own folder is its project. */
  readonly project?: string
  /** Names of environment variables. */
  readonly env?: readonly string[]
  readonly webhookHosts?: readonly HostPattern[]
  /** Absolute. */
  readonly fileRoots?: readonly string[]
  /** The variables that audience.yaml names itself, for tokens and the like. */
  readonly ownEnv: readonly string[]
}

/** What a policy says against something. */
export interface PolicyProblem {
  readonly severity: 'error' | 'warning'
  /** Stable, kebab-case; a diagnostic and the error of a run have the same. */
  readonly code: 'env-not-allowed' | 'host-not-allowed' | 'file-not-allowed'
  readonly message: string
  readonly hint: string
}
