/** How long the state keeps what is over. */
export interface Retention {
  /** Runs that ended longer ago are removed, but of each pipeline neither the `keep` newest nor the last successful one. */
  readonly runsMs: number
  readonly keep: number
  /** What became of slots and files is forgotten after that. */
  readonly occurrencesMs: number
}
