/** What happened to a value that a guard measured. */
export type GuardVerdict =
  | 'good'
  /** Outside the allowed range. The run waits for a person (`onBreach: approve`). */
  | 'held'
  /** A person has approved it, or rejected it. */
  | 'approved'
  | 'rejected'
  /** Outside the allowed range. The step failed, or the run continued (`onBreach: fail`, `warn`). */
  | 'failed'
  | 'warned'

/** The verdicts whose values a guard learns from, if their run succeeded. */
export const LEARNED_VERDICTS = ['good', 'warned', 'approved'] as const satisfies readonly GuardVerdict[]

/** A value of an earlier run. */
export interface GuardValue {
  readonly runId: string
  /** The name of the item of a forEach. */
  readonly item?: string
  readonly value: number
  readonly verdict: GuardVerdict
}

/** The range of the values of good runs. Both limits are inside the band. */
export interface Band {
  readonly low: number
  readonly median: number
  readonly high: number
}

/** What a guard has learned about one step, or about one item of its forEach. */
export interface LearnedBand {
  /** The name of the item of a forEach. */
  readonly item?: string
  /** The indexes in `runs` of the runs that the band was learned from; if absent, all runs. */
  readonly of?: readonly number[]
  /** Absent while it has fewer values than `warmUp`. */
  readonly band?: Band
  /** The learned values that were outside their band and that a person approved. */
  readonly approved?: readonly number[]
}

/** What the guard of a step has learned when a run begins. The run keeps it. */
export interface LearnedGuard {
  readonly step: string
  /** The good runs that have a value, newest first. */
  readonly runs: readonly string[]
  /** One band for the step, or one for each item that has values. */
  readonly bands: readonly LearnedBand[]
}

/** The limit that a value exceeds. */
export type Breach = { readonly limit: 'min' | 'max'; readonly at: number } | ({ readonly limit: 'band' } & Band)
