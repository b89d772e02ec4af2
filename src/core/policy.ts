import type { NotBy } from './approval.ts'
import type { HostPattern } from './host-pattern.ts'
import type { SourceUse } from './list-source.ts'

/** What documents may access, as audience.yaml defines it. A list that audience.yaml does not set is undefined. */
export interface Policy {
  /** The folder of audience.yaml, absolute. Without that file, each document's own folder is its project. */
  readonly project?: string
  /** Names of environment variables. */
  readonly env?: readonly string[]
  readonly webhookHosts?: readonly HostPattern[]
  /** Absolute paths. */
  readonly fileRoots?: readonly string[]
  /** Absolute: documents may use nothing outside this folder, whatever `fileRoots` lists. */
  readonly within?: string
  /** The folder with local copies of files that triggers took from other machines, absolute. */
  readonly copies?: string
  /** Only files that `files.prepare` wrote may be uploaded. */
  readonly requirePrepared?: boolean
  /** The rule for every approval, whatever its document says. */
  readonly approvals?: { readonly notBy?: NotBy }
  /** Other people wrote the documents, so they may not read files of a git folder, which may hold tokens. */
  readonly untrusted?: true
  /** The sources by name; undefined if there is no audience.yaml. */
  readonly sources?: ReadonlyMap<string, SourceUse>
  /** The variables that audience.yaml itself names, for example for tokens. */
  readonly ownEnv: readonly string[]
}

/** A violation of a policy. */
export interface PolicyProblem {
  readonly severity: 'error' | 'warning'
  /** Stable, kebab-case; a diagnostic and a run error use the same code. */
  readonly code: 'env-not-allowed' | 'host-not-allowed' | 'file-not-allowed' | 'not-prepared'
  readonly message: string
  readonly hint: string
}
