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
  /** How many unfinished runs it has taken up. */
  readonly runs: number
  /** Whether it runs schedules, watched folders and notifications for all processes. */
  readonly keeper: boolean
  /** `all`: a worker of `audience start`. `own`: an `audience run`, which works only on its own runs. */
  readonly takes: 'all' | 'own'
  /** The queue that it takes runs from; undefined for versions that do not record it. */
  readonly queue: string | undefined
  /**
   * When it began to drain, in milliseconds since 1970. A draining worker takes no new runs, and ends when its runs
   * have ended.
   */
  readonly drainingSince: number | undefined
}

/** The processes that share a state. */
export interface Workers {
  /** Oldest first. */
  list(): Promise<readonly WorkerRow[]>
  /**
   * Makes a living worker take no new runs and end when its runs have ended. Returns false and changes nothing if the
   * worker has ended or is already draining, or if no other worker would take its runs. The audit log gets an entry, as
   * for `undrain`.
   */
  drain(worker: WorkerRow, actor: Actor): Promise<boolean>
  /** Lets a living worker take runs again. Returns false if it is not draining. */
  undrain(worker: WorkerRow, actor: Actor): Promise<boolean>
}

/** How people and programs name a worker. */
export function workerName({ host, pid }: Pick<WorkerRow, 'host' | 'pid'>): string {
  return `${host}:${pid}`
}

/** Whether a process now takes runs that it did not submit. */
export function takesRuns({ takes, drainingSince, expiresAt }: WorkerRow, now: number): boolean {
  return takes === 'all' && drainingSince === undefined && expiresAt > now
}
