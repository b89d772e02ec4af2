import type { GuardValue } from '../core/guard.ts'
import type {
  Actor,
  Blocked,
  FinalStatus,
  HumanDecision,
  PartnerWaits,
  RunRecord,
  RunStatus,
  Signed,
  StepRef,
  StoredRecord,
  ToleratedFailures,
  UnfinishedStatus,
} from '../core/run.ts'
import type { RecordedService } from '../core/service-ref.ts'

/**
 * The runs of a state, for all code that does not execute them. Reading never writes, and never takes a run from its
 * owner. Every implementation passes test/contract/run-history-suite.ts. Times are in milliseconds since 1970.
 */
export interface RunHistory {
  find(runId: string): Promise<RunRow | undefined>
  /** The records of a run after position `after`, in order; none if the run is unknown. */
  records(runId: string, after?: number): Promise<readonly StoredRecord[]>
  /** The decisions for a run that `send` stored and that no process has handled yet, in order. */
  decisionsSent(runId: string): Promise<readonly SentDecision[]>
  /** The step executions that wait for another one, in these (or all) unfinished runs, oldest run first. */
  blocked(filter: { runIds?: readonly string[] | undefined; limit: number }): Promise<readonly BlockedStep[]>
  /** The step executions in unfinished runs that are waiting for a partner at the service, longest wait first. */
  partnerWaits(filter: { limit: number }): Promise<readonly PartnerWait[]>
  /** The submission of a run without the text of its document; undefined if the run is unknown. */
  submission(runId: string): Promise<Submitted | undefined>
  /**
   * The ids that a shortened id can stand for, newest first: ids that begin with it, and ids whose part after the time
   * begins or ends with it. A complete id stands only for itself.
   */
  named(text: string, limit: number): Promise<readonly string[]>
  /**
   * A page of runs, newest first. No index covers the `text` or the `trigger` of a filter, so a page with one of these
   * looks at a limited number of runs (`look`). Such a page may have few rows or none, although it has `next`.
   */
  page(filter: RunFilter): Promise<PageOfRuns>
  /** The newest runs of each of these pipelines. A pipeline without runs is left out. */
  newestOf(filter: {
    pipelines: readonly string[]
    /** The maximum number of runs of each pipeline. */
    limit: number
  }): Promise<readonly NewestRuns[]>
  /**
   * The runs that changed after a sequence number, in the order of their changes, then the unfinished ancestors of
   * these runs, which wait for the same partners. Removed runs are not shown.
   */
  changedSince(sequence: number, limit: number): Promise<RunChanges>
  /** The sequence number of the newest change, for the first call of `changedSince`. */
  lastChange(): Promise<number>
  /** The number of unfinished runs by status. */
  counts(): Promise<Readonly<Record<UnfinishedStatus, number>>>
  /** The number of runs that ended at or after `since`. */
  endedSince(since: number): Promise<Readonly<Record<FinalStatus, number>>>
  /** How many runs that ended at or after `since` succeeded although some of their steps or items failed. */
  succeededInPart(since: number): Promise<number>
  /**
   * The failed runs that ended at or after `since`, grouped by pipeline and kind of error. Groups that nobody has
   * acknowledged come first, then groups with newer failures.
   */
  failureGroups(filter: { since: number; limit: number }): Promise<readonly FailureGroup[]>
  /** How the runs of each hour ended, by the time of submission, oldest hour first. Removed runs still count. */
  countsByHour(filter: { from: number; to: number; pipeline?: string }): Promise<readonly HourCount[]>
  /** The numbers in the outputs of steps, newest run first. */
  figures(filter: FigureFilter): Promise<readonly RunFigure[]>
  /** The values that a step's guard measured at the service of this state, newest run first. */
  guardValues(filter: GuardFilter): Promise<readonly GuardValue[]>
  /** Active runs of this state's service that no living process owns, oldest first. */
  orphans(): Promise<readonly string[]>
  /** The services of the unfinished runs. */
  unfinishedServices(): Promise<readonly UnfinishedService[]>
  /** The newest successful run of a pipeline at this state's service. */
  lastSuccess(pipeline: string): Promise<RunRow | undefined>
  /** The names of the pipelines that have runs. */
  pipelines(): Promise<readonly string[]>
  /** Runs that can be removed, oldest first. */
  expired(policy: RunExpiry): Promise<readonly string[]>
  /**
   * Removes ended runs, with all data about them, and returns how many. Atomic. Stops after `maxMs`, but removes at
   * least the first run. A crash of the machine may undo a removal.
   */
  remove(runIds: readonly string[], maxMs: number): Promise<number>
  /** Packs ended runs. Stops after `maxMs`, and the next call continues there. Returns false after the last run. */
  pack(maxMs: number): Promise<boolean>
  /**
   * Records that a person has seen a failure. All failures of the same pipeline with the same kind of error are then
   * acknowledged, including later ones, until the pipeline succeeds. The audit log gets an entry. If the run has not
   * failed, returns false and changes nothing.
   */
  acknowledge(runId: string, act: Actor & { at: number }): Promise<boolean>
  /**
   * Records that nobody is watching an unfinished run any more, so messages about it are sent. Its open questions to
   * people and partners, and the open questions of its child runs, count as not sent yet. Durable when it resolves.
   */
  leave(runId: string, at: number): Promise<void>
  /**
   * Leaves a message for the current or next owner of the run. Durable when it resolves. Rejects with `already-decided`
   * if another decision about the same step is already waiting. A message from a person (`by`) gets an entry in the
   * audit log.
   */
  send(runId: string, message: RunMessage): Promise<void>
}

/** Who has seen failures of one kind, when (in milliseconds since 1970), and with what comment. */
interface Acknowledged extends Signed {
  readonly at: number
}

/** Failed runs of one pipeline with one kind of error. `firstAt` and `lastAt` are the times when runs ended. */
interface FailureGroup {
  /** The newest of these runs. */
  readonly run: RunRow
  readonly failures: number
  readonly firstAt: number
  readonly lastAt: number
}

export type Submitted = Omit<Extract<RunRecord, { type: 'run.submitted' }>, 'text'>

export type RunMessage = Actor & ({ readonly kind: 'cancel' } | ({ readonly kind: 'decide' } & StepDecision))

/** A message that no process has handled yet. */
export interface SentMessage {
  readonly id: number
  readonly runId: string
  readonly message: RunMessage
}

interface StepDecision {
  readonly ref: StepRef
  readonly decision: HumanDecision
}

export interface SentDecision extends Signed, StepDecision {}

/** A step execution that is waiting for another step execution. Both are in the form that people write. */
export interface BlockedStep extends Blocked {
  readonly runId: string
  readonly step: string
}

/** A step execution, as people write it, whose job is waiting for an answer from another participant of the service. */
export interface PartnerWait {
  readonly runId: string
  readonly pipeline: string
  readonly step: string
  /** For example, `partner 2005` or `group 3001`, if it is known. */
  readonly counterpart?: string | undefined
  readonly since: number
}

export interface RunRow extends ToleratedFailures {
  readonly runId: string
  readonly pipeline: string
  /** The profile of the run's service. */
  readonly profile: string
  /** That service, as in a ServiceRef; missing if the first or second version of the state recorded the run. */
  readonly service?: string
  /** `waiting`: the run continues only after a person decides. */
  readonly status: RunStatus
  readonly submittedAt: number
  /** When the run left the queue. */
  readonly beganAt?: number
  readonly finishedAt?: number
  /** What started it: `manual`, `schedule`, `watch` or `run`. */
  readonly triggerKind: string
  /** Which slot, file or run started it, in a few words; empty for `manual`. */
  readonly triggerLabel: string
  /** The person or program that started it; missing if it started automatically. */
  readonly startedBy?: string
  /** The commit of its document. The document may have had changes that were not committed. */
  readonly commit?: string | undefined
  /** When the person who watched it at a terminal stopped watching. */
  readonly leftAt?: number | undefined
  /** The run that it repeats. */
  readonly seededFrom?: string
  /** Why it failed. */
  readonly error?: { readonly step?: string; readonly message: string; readonly key?: string | undefined }
  /** Set if a person has acknowledged failures of this kind, unless the pipeline succeeded before this run ended. */
  readonly acknowledged?: Acknowledged | undefined
  /** The steps that are waiting for a partner at the service: its own steps, and steps of its unfinished child runs. */
  readonly partnerWaits?: PartnerWaits | undefined
  /** Its owner, in words that help people find it: `process 4711 on HOST`. */
  readonly owner?: string
  /** `worker`: it is queued for any worker of its database. `noWorker`: it is queued, but no worker is alive. */
  readonly queuedFor?: 'worker' | 'noWorker'
}

export interface UnfinishedService extends RecordedService {
  readonly runs: number
  readonly oldestRunId: string
}

export interface RunFilter {
  readonly pipeline?: string
  readonly status?: readonly RunRow['status'][]
  /** The kind or the id of the trigger that started it. */
  readonly trigger?: string
  /** The run that started it. */
  readonly parent?: string
  /** A part of its id, pipeline, trigger label or error; upper and lower case do not matter. */
  readonly text?: string
  /** By the time of submission; `to` is not included. */
  readonly from?: number
  readonly to?: number
  /** Only runs that succeeded although some of their steps or items failed. */
  readonly partial?: boolean | undefined
  /** Only failed runs whose error has this key (`error.key`). These are failures of one kind. */
  readonly error?: string | undefined
  /** Only runs that no living process owns. */
  readonly ownerless?: true
  readonly limit: number
  /** Only runs that were submitted before this one: `next` of the previous page, or any run. */
  readonly after?: PageKey
  /** How many runs a page with a `text` or a `trigger` looks at. */
  readonly look?: number
}

/** The position of a run in the order of submission. */
export type PageKey = Pick<RunRow, 'submittedAt' | 'runId'>

export interface PageOfRuns {
  readonly rows: readonly RunRow[]
  /** The last run that was looked at; present if there may be more. */
  readonly next?: PageKey
}

interface NewestRuns {
  readonly last: RunRow
  /** The latest runs with their statuses, newest submission first. `last` is the first of these runs. */
  readonly runs: readonly RunMark[]
}

/** The part of a run that a list of pipelines shows. It is small, because a list reads many runs at once. */
export type RunMark = Pick<RunRow, 'runId' | 'status' | 'submittedAt' | 'failures' | 'failuresOf' | 'partnerWaits'>

interface RunChanges {
  readonly rows: readonly RunRow[]
  /** Pass this to the next call. */
  readonly sequence: number
}

/** The number of runs in an hour, by status. Hours without runs are left out. */
export interface HourCount extends Readonly<Record<FinalStatus, number>> {
  /** The beginning of the hour. */
  readonly at: number
  /** How many of the runs that succeeded had steps or items that failed. */
  readonly succeededInPart: number
}

interface FigureFilter {
  readonly pipeline: string
  readonly step?: string
  readonly name?: string
  /** The number of runs. */
  readonly limit: number
}

export interface GuardFilter {
  readonly pipeline: string
  readonly step: string
  /** Only good or approved values of successful runs: the values that a guard on this measure can learn from. */
  readonly goodOf?: string
  /** The number of values of the step, or of each item of its forEach. */
  readonly limit: number
}

/** A number in the outputs of a step, such as `matchCount`. */
interface RunFigure {
  readonly runId: string
  readonly step: string
  readonly name: string
  readonly value: number
}

/**
 * Which ended runs of a pipeline can be removed: all except the newest runs and the last successful run at each
 * service.
 */
export interface RunExpiry {
  readonly pipeline: string
  /** Only runs that ended before this time; in milliseconds since 1970. */
  readonly before: number
  /** How many of the newest ended runs are kept, whatever their age. */
  readonly keep: number
  readonly limit: number
}
