import type { Actor } from '../core/run.ts'

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
  /** `all`: a worker of `audience start`. `own`: an `audience run`, which works on its own runs. */
  readonly takes: 'all' | 'own'
  /** Processes with the same one take runs from each other; absent if it is of a version that does not say so. */
  readonly queue: string | undefined
  /** Since when it takes nothing new, and ends when its runs have; in milliseconds since 1970. */
  readonly drainingSince: number | undefined
}

/** The processes that share a state. */
export interface Workers {
  /** Oldest first. */
  list(): Promise<readonly WorkerRow[]>
  /**
   * From now on a living worker takes nothing new, and it ends when its runs have. False, and nothing changes, if it has
   * ended, drains already, or no other worker would take its runs. An entry of the audit log, as `undrain` is.
   */
  drain(worker: WorkerRow, actor: Actor): Promise<boolean>
  /** A living worker takes runs again; false if it does not drain. */
  undrain(worker: WorkerRow, actor: Actor): Promise<boolean>
}

/** How people and programs name a worker. */
export function workerName({ host, pid }: Pick<WorkerRow, 'host' | 'pid'>): string {
  return `${host}:${pid}`
}

/** Whether a process takes runs that it did not submit, now. */
export function takesRuns({ takes, drainingSince, expiresAt }: WorkerRow, now: number): boolean {
  return takes === 'all' && drainingSince === undefined && expiresAt > now
}
