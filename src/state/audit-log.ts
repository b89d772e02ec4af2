import type { Actor } from '../core/run.ts'

/** What people and programs can do. The names are a contract, because other programs depend on them. */
const ACTS = [
  'run.start',
  'run.retry',
  'run.resume',
  'run.cancel',
  'run.approved',
  'run.rejected',
  'run.done',
  'run.again',
  'run.decide',
  'run.acknowledge',
  'runs.prune',
  'schedule.pause',
  'schedule.resume',
  'schedule.backfill',
  'schedule.withdraw',
  'notify.mute',
  'notify.unmute',
  'deploy.rollback',
  'deploy.pause',
  'deploy.resume',
  'deploy.now',
  'worker.drain',
  'worker.undrain',
  'file.upload',
  'file.retry',
  'input.upload',
  'privacy.purge',
  'service.job',
  'service.fault',
  'service.clock',
  'console.login',
  'console.logout',
  'console.guess',
] as const
type ActName = (typeof ACTS)[number]

/** One action: what somebody did or tried to do, and to what. */
export interface Act extends Actor {
  readonly act: ActName
  /**
   * The id of a run, the name of a pipeline, `PIPELINE/TRIGGER`, a commit, `deployments`, or `HOST:PID` of a worker.
   * For the embedded service: a job, a fault, an operation or `clock`.
   */
  readonly subject: string
  /** The part of the subject, such as the step or the period. */
  readonly detail?: string
  /** `done`, or the error code if the action was refused. */
  readonly outcome: string
}

export interface AuditEntry extends Act {
  readonly id: number
  /** In milliseconds since 1970. */
  readonly at: number
}

export interface AuditFilter {
  readonly subject?: string
  readonly by?: string
  /** Only entries that were added before the one with this id. */
  readonly before?: number
  readonly limit: number
}

/**
 * Records who did what, when, from where and why. The other parts of a state add entries for their own changes in the
 * same transaction, if they get an `Actor`. Every implementation passes test/contract/audit-log-suite.ts.
 */
export interface AuditLog {
  /**
   * Adds an entry for an action that changes nothing else in the state, or that was refused. Durable when it resolves.
   */
  add(act: Act): Promise<void>
  /** Newest first. */
  list(filter: AuditFilter): Promise<readonly AuditEntry[]>
  /**
   * Removes entries older than `before` (milliseconds since 1970), oldest first and at most `limit`. Returns how many.
   */
  forget(options: { before: number; limit: number }): Promise<number>
}
