/** What metrics say of the state, read when somebody asks. */
export interface StateFigures {
  /** The runs that have not ended, whichever process works on them. `waiting`: for a person. */
  readonly runs: Readonly<Record<'queued' | 'running' | 'waiting', number>>
  /** `failed`: given up. */
  readonly notifications: { readonly pending: number; readonly failed: number }
  /** When the newest run that succeeded had ended, in milliseconds since 1970; by the name of the pipeline, of those that are loaded. */
  readonly lastSuccess: ReadonlyMap<string, number>
}
