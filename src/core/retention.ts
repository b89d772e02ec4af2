/** How long the state keeps finished runs and past occurrences. */
export interface Retention {
  /**
   * Runs that ended longer ago than this are removed, except the `keep` newest and the last successful run of each
   * pipeline.
   */
  readonly runsMs: number
  readonly keep: number
  /** The outcomes of slots and files are removed after this time. */
  readonly occurrencesMs: number
  /** Entries of the audit log are removed after this time. */
  readonly auditMs: number
}
