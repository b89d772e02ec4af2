/** The figures of the state for metrics, read at each scrape. */
export interface StateFigures {
  /** The runs that have not ended, whichever process works on them. `waiting`: for a person. */
  readonly runs: Readonly<Record<'queued' | 'running' | 'waiting', number>>
  /** `failed`: delivery was given up. */
  readonly notifications: { readonly pending: number; readonly failed: number }
  /**
   * When the newest successful run ended, in milliseconds since 1970, by the name of the pipeline, for loaded
   * pipelines.
   */
  readonly lastSuccess: ReadonlyMap<string, number>
}
