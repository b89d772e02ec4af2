/** A process that works on runs. */
export interface WorkerRow {
  readonly executor: string
  readonly host: string
  readonly pid: number
  readonly version: string
  /** In milliseconds since 1970, by the clock of the database. */
  readonly startedAt: number
  readonly expiresAt: number
  /** The unfinished runs that it has taken up. */
  readonly runs: number
  /** Whether it runs schedules, watched folders and notifications for all. */
  readonly keeper: boolean
}
