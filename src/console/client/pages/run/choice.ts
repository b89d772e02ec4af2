/** What of a run is chosen: a step, or an item of a forEach. */
export interface Choice {
  readonly step: string | undefined
  readonly index: string | undefined
}
