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
} from '../core/run.ts'
import type { RecordedService } from '../core/service-ref.ts'

/**
 * The runs of a state, for all code that does not execute them. Reading never writes and never ends the ownership of a
 * process. Every implementation passes test/contract/run-history-suite.ts. Times are in milliseconds since 1970.
 */
export interface RunHistory {
  find(runId: string): Promise<RunRow | undefined>
  /** The records of a run after `after`, in order; none for an unknown run. */
  records(runId: string, after?: number): Promise<readonly StoredRecord[]>
  /** The decisions that `send` left for a run and that no process has taken up yet, in order. */
  decisionsSent(runId: string): Promise<readonly SentDecision[]>
  /** The step executions of unfinished runs that wait for another one, oldest run first; of all runs, or of some. */
  blocked(filter: {
    readonly runIds?: readonly string[] | undefined
    readonly limit: number
  }): Promise<readonly BlockedStep[]>
  /** The step executions of unfinished runs that wait for a partner at the service, those that wait longest first. */
  partnerWaits(filter: { readonly limit: number }): Promise<readonly PartnerWait[]>
  /** The submission of a run without the text of its document; undefined for an unknown run. */
  submission(runId: string): Promise<Submitted | undefined>
  /**
   * The ids that a shortened id can mean, newest first: those that begin with it, and those whose part after the time
   * begins or ends with it. A whole id means only itself.
   */
  named(text: string, limit: number): Promise<readonly string[]>
  /**
   * Newest first. No index knows the text or the trigger of a filter, so such a page looks at a limited number of runs
   * (`look`). It may have few rows, or none, although it has `next`.
   */
  page(filter: RunFilter): Promise<RunPage>
  /** The newest runs of each of some pipelines; a pipeline without runs is left out. */
  newestOf(filter: {
    readonly pipelines: readonly string[]
    /** Of each pipeline. */
    readonly limit: number
  }): Promise<readonly NewestRuns[]>
  /**
   * The runs that changed after a sequence number, in the order of their changes, then the unfinished runs above them:
   * these wait for the same partners. Removed runs do not show.
   */
  changedSince(sequence: number, limit: number): Promise<RunChanges>
  /** The sequence number of the newest change, to begin with. */
  lastChange(): Promise<number>
  /** The number of unfinished runs by status. */
  counts(): Promise<Readonly<Record<'queued' | 'running' | 'waiting', number>>>
  /** The number of runs that ended at or after `since`. */
  endedSince(since: number): Promise<Readonly<Record<FinalStatus, number>>>
  /** How many of the runs that ended at or after `since` succeeded although steps or items of them failed. */
  succeededInPart(since: number): Promise<number>
  /**
   * The failed runs that ended at or after `since`, by pipeline and kind of error: those that nobody has acknowledged first,
   * then by the newest failure.
   */
  failureGroups(filter: { readonly since: number; readonly limit: number }): Promise<readonly FailureGroup[]>
  /** How the runs that were submitted in an hour ended, oldest hour first; runs that were removed still count. */
  countsByHour(filter: {
    readonly from: number
    readonly to: number
    readonly pipeline?: string
  }): Promise<readonly HourCount[]>
  /** The numbers among the outputs of steps, newest run first. */
  figures(filter: FigureFilter): Promise<readonly RunFigure[]>
  /** The values that the guard of a step measured at this state's service, newest run first. */
  guardValues(filter: GuardFilter): Promise<readonly GuardValue[]>
  /** Runs of this state's service that have begun and not ended and that no living process owns, oldest first. */
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
   * Removes ended runs, with all data about them, and returns how many. Atomic. It ends after `maxMs` and has then removed
   * the first ones, at least one; the rest stay as they are. A removal may be undone by a crash of the machine.
   */
  remove(runIds: readonly string[], maxMs: number): Promise<number>
  /**
   * Stores ended runs in less space; nothing else changes. It ends after `maxMs`, and the next call goes on there. False
   * after the last run.
   */
  pack(maxMs: number): Promise<boolean>
  /**
   * A person has seen the failures of a run's pipeline with errors of the kind of that run: they and later ones are
   * acknowledged, until the pipeline succeeds. The audit log gets an entry. False, and nothing changes, if the run has
   * not failed.
   */
  acknowledge(runId: string, act: Actor & { readonly at: number }): Promise<boolean>
  /**
   * Records that the person who watched an unfinished run has left it: from now on messages are sent about it. Its open
   * questions to people and partners, and those of the runs below it, count as not yet sent. Durable when it resolves.
   */
  leave(runId: string, at: number): Promise<void>
  /**
   * Leaves a message for the current or next owner of the run. Durable when it resolves. Rejects with `already-decided`
   * if a decision about the same step is already waiting there. A message of a person (`by`) gets an entry in the audit
   * log.
   */
  send(runId: string, message: RunMessage): Promise<void>
}

/** Who has seen failures of one kind, when (milliseconds since 1970), and their comment. */
interface Acknowledged extends Signed {
  readonly at: number
}

/** Failed runs of one pipeline with errors of one kind. Times are those of the ends of runs. */
interface FailureGroup {
  /** The newest one. */
  readonly run: RunRow
  readonly failures: number
  readonly firstAt: number
  readonly lastAt: number
}

export type Submitted = Omit<Extract<RunRecord, { type: 'run.submitted' }>, 'text'>

export type RunMessage = Actor & ({ readonly kind: 'cancel' } | ({ readonly kind: 'decide' } & StepDecision))

/** A message that no process has acted on yet. */
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

/** A step execution, as people write it, that waits for another one. */
export interface BlockedStep extends Blocked {
  readonly runId: string
  readonly step: string
}

/** A step execution, as people write it, whose job waits until another participant of the service answers. */
export interface PartnerWait {
  readonly runId: string
  readonly pipeline: string
  readonly step: string
  /** If known: `partner 2005`, `group 3001`. */
  readonly counterpart?: string | undefined
  readonly since: number
}

export interface RunRow extends ToleratedFailures {
  readonly runId: string
  readonly pipeline: string
  /** The profile of its service. */
  readonly profile: string
  /** That service, as in a ServiceRef; missing if one of the first two versions of the state recorded the run. */
  readonly service?: string
  /** `waiting`: it continues only after a person decides. */
  readonly status: RunStatus
  readonly submittedAt: number
  /** When it left the queue. */
  readonly beganAt?: number
  readonly finishedAt?: number
  /** What started it: `manual`, `schedule`, `watch` or `run`. */
  readonly triggerKind: string
  /** Which slot, file or run that was, in a few words; empty for `manual`. */
  readonly triggerLabel: string
  /** The person or program that started it; missing if it started by itself. */
  readonly startedBy?: string
  /** The commit of its document, which may have differed from it. */
  readonly commit?: string | undefined
  /** When the person who watched it at a terminal left it to go on by itself. */
  readonly leftAt?: number | undefined
  /** The run that it repeats. */
  readonly seededFrom?: string
  /** Why it failed. */
  readonly error?: { readonly step?: string; readonly message: string; readonly key?: string | undefined }
  /** A person has seen failures of its kind (`acknowledge`), and the pipeline has not succeeded between that and its end. */
  readonly acknowledged?: Acknowledged | undefined
  /** The steps that wait for a partner at the service: its own, and those of unfinished runs below it. */
  readonly partnerWaits?: PartnerWaits | undefined
  /** Its owner, as people can find it: `process 4711 on HOST`. */
  readonly owner?: string
  /** It could go on and is queued for any worker of its database; `noWorker`: no worker lives. */
  readonly queuedFor?: 'worker' | 'noWorker'
}

export interface UnfinishedService extends RecordedService {
  readonly runs: number
  readonly oldestRunId: string
}

export interface RunFilter {
  readonly pipeline?: string
  readonly status?: readonly RunRow['status'][]
  /** The kind or the id of what started it. */
  readonly trigger?: string
  /** The run that started it. */
  readonly parent?: string
  /** A part of its id, pipeline, trigger label or error, without regard to case. */
  readonly text?: string
  /** By the time of submission; `to` is not included. */
  readonly from?: number
  readonly to?: number
  /** Only runs that succeeded although steps or items of them failed. */
  readonly partial?: boolean | undefined
  /** Only failed runs whose error has this key (`error.key`): failures of one kind. */
  readonly error?: string | undefined
  /** Only runs that no living process owns. */
  readonly ownerless?: true
  readonly limit: number
  /** `next` of the previous page, or the id of any run: only runs that were submitted before it. */
  readonly after?: PageKey
  /** How many runs a page with `text` or `trigger` looks at. */
  readonly look?: number
}

/** The place of a run in the order of submission. */
export type PageKey = Pick<RunRow, 'submittedAt' | 'runId'>

export interface RunPage {
  readonly rows: readonly RunRow[]
  /** Present if there may be more: the last run that was looked at. */
  readonly next?: PageKey
}

interface NewestRuns {
  readonly last: RunRow
  /** The statuses of the newest ones, newest first; `last` is the first of them. */
  readonly runs: readonly RunMark[]
}

/** The part of a run that a mark in a row of runs shows: many are read at once. */
export type RunMark = Pick<RunRow, 'runId' | 'status' | 'submittedAt' | 'failures' | 'failuresOf' | 'partnerWaits'>

interface RunChanges {
  readonly rows: readonly RunRow[]
  /** Give it to the next call. */
  readonly sequence: number
}

/** The number of runs of an hour by how they ended; hours without runs are left out. */
export interface HourCount extends Readonly<Record<FinalStatus, number>> {
  /** The beginning of the hour. */
  readonly at: number
  /** How many of those that succeeded had steps or items that failed. */
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
  /** Only values that a guard of this measure can learn from: of runs that succeeded, good or let through. */
  readonly goodOf?: string
  /** How many values of the step, or of each item of its forEach. */
  readonly limit: number
}

/** A number that a step put out, such as `matchCount`. */
interface RunFigure {
  readonly runId: string
  readonly step: string
  readonly name: string
  readonly value: number
}

/** Which ended runs of a pipeline can be removed: all except the newest ones and the last successful one at each service. */
export interface RunExpiry {
  readonly pipeline: string
  /** Only runs that ended before this time; in milliseconds since 1970. */
  readonly before: number
  /** How many of the newest ended runs are kept, whatever their age. */
  readonly keep: number
  readonly limit: number
}
