/** The result of a check of a whole state. */
export interface StateCheck {
  readonly ok: boolean
  /** Undefined if the file cannot even be opened. */
  readonly version?: number
  readonly runs?: number
  readonly records?: number
  /** At most 100 of each kind. */
  readonly problems: readonly StateProblem[]
  /** Problems that do not damage the state; usually absent. */
  readonly warnings?: readonly string[] | undefined
}

export interface StateProblem {
  /** `database`: the file is damaged. All other kinds: the file is intact, but its contents are inconsistent. */
  readonly kind: 'database' | 'run' | 'record' | 'memory' | 'occurrence' | 'notification'
  readonly message: string
  readonly runId?: string
}

/** The maximum number of problems of each kind that are reported. */
export const MOST_PROBLEMS = 100
