import type { TriggerRef } from '../core/occurrence.ts'
import type { HumanDecision, PartnerWaits, Signed, StepRef, WaitReason } from '../core/run.ts'
import type { ServiceRef } from '../core/service-ref.ts'
import type { DeploymentState } from '../daemon/deployment/deployment-state.ts'
import type { NotReady } from '../daemon/health/readiness.ts'
import type { DaemonInfo } from '../daemon/lock/daemon-file.ts'
import type { MuteItem } from '../state/mutes.ts'
import type { RunOutcomes } from '../state/occurrence-store.ts'
import type { RemoteProblem, RemoteSet } from '../state/remote-ledger.ts'
import type { BlockedStep, PartnerWait, UnfinishedService } from '../state/run-history.ts'
import type { WorkerRow } from '../state/worker-row.ts'

/**
 * What `audience status --json` prints. The names are a contract: other programs use them. Times are RFC 3339 in UTC.
 */
export interface StatusReport {
  readonly at: string
  /** The version of the command that asked. */
  readonly version: string
  /** Absolute path of the state folder, or the URL of the database without its password. */
  readonly state: string
  /** Absolute path of the pipelines folder. */
  readonly pipelines: string
  /** The service that a command here would use; `problem` if the configuration and the environment do not name one. */
  readonly service:
    | (ServiceRef & { readonly synthetic: boolean })
    | { readonly problem: string; readonly hint?: string }
  /** Unfinished runs that belong to a service other than `service`. */
  readonly otherServices: readonly UnfinishedService[]
  readonly daemon: DaemonStatus
  /** For a state in PostgreSQL: the processes that share it, oldest first. */
  readonly workers?: readonly WorkerStatus[]
  readonly runs: {
    readonly queued: number
    readonly running: number
    /** Runs that are waiting for a person. */
    readonly waiting: number
    readonly lastDay: {
      readonly succeeded: number
      readonly failed: number
      readonly cancelled: number
      /** How many of the successful runs had a forEach with failed items. */
      readonly succeededInPart: number
    }
  }
  /** The newest runs that processes are working on; at most 5. */
  readonly underWay: readonly RunUnderWay[]
  /**
   * Folders that cannot be watched on this machine; runs that no process is working on, at most 100; then steps that
   * are waiting for a person, newest runs first, from at most 100 runs.
   */
  readonly needsYou: readonly (FolderUnwatched | PersonWanted | RunUnattended)[]
  /** Steps whose jobs wait for another participant, those that have waited longest first; at most 100. */
  readonly partnerWaits: readonly StepWithPartner[]
  /** Steps that are waiting for another step; at most 100. */
  readonly blocked: readonly StepBlocked[]
  /**
   * The failed runs of the last day that nobody has acknowledged: the newest for each pipeline and kind of error; at
   * most 5, newest first.
   */
  readonly failures: readonly FailedRun[]
  /**
   * How many more kinds of failures the last day had: kinds that nobody has acknowledged but that are not listed, and
   * acknowledged kinds.
   */
  readonly moreFailures: { readonly unlisted: number; readonly acknowledged: number }
  readonly schedules: {
    /** In order; at most 5. The first slot of each schedule takes precedence over further slots of others. */
    readonly next: readonly NextSlot[]
    readonly paused: readonly (TriggerRef & { readonly since: string })[]
    /**
     * Schedules whose slots are decided up to a time in the future, because the clock was ahead or is behind now.
     * `audience start` decides these slots when they come.
     */
    readonly ahead: readonly (TriggerRef & { readonly decidedUntil: string })[]
    /** Slots whose run starts as soon as possible. */
    readonly due: number
    readonly lastDay: SlotCounts
    /** Schedules that have due slots but are no longer in any valid document: nothing runs these slots. */
    readonly removed: readonly RemovedSchedule[]
  }
  /** Triggers that come after other pipelines. */
  readonly after: readonly AfterStatus[]
  readonly folders: readonly FolderStatus[]
  /** Triggers that take files from other machines. */
  readonly sources: readonly SourceStatus[]
  readonly notifications: { readonly pending: number; readonly failed: number; readonly mutes: readonly MuteItem[] }
  /**
   * Only if pipelines come from git. `commit` is the commit in use; it is absent before the first deployment. `since`
   * is when this `state` began.
   */
  readonly deployment?:
    | {
        readonly state: DeploymentState | 'unknown'
        readonly commit?: string | undefined
        readonly since?: string | undefined
      }
    | undefined
  /** The problems in the documents of the pipelines folder. */
  readonly problems: readonly { readonly file: string; readonly messages: readonly string[] }[]
}

/**
 * `gone`: the last daemon exited without a clean shutdown. The other fields describe the running daemon, or else the
 * last one.
 */
export type DaemonStatus = Partial<DaemonInfo> & {
  readonly state: 'running' | 'gone' | 'stopped'
} & Partial<DaemonAnswer>

/** The answer from a running daemon; absent if it does not answer within 15 s. */
export interface DaemonAnswer {
  readonly alive: boolean
  readonly notReady: readonly NotReady[]
  /** Its load: active runs, and pending waits such as jobs. */
  readonly load: { readonly runs: number; readonly waits: number }
  /** Runs that it owns but cannot record or resume. */
  readonly stuck: readonly string[]
}

/** One of the processes that share a state. */
export type WorkerStatus = Omit<WorkerRow, 'startedAt' | 'expiresAt' | 'drainingSince' | 'queue'> & {
  readonly startedAt: string
  readonly expiresAt: string
  readonly drainingSince: string | undefined
}

/**
 * A watched folder, or its `done` or `failed`, that is not marked as visible to all machines. Therefore, no worker on
 * this machine watches it.
 */
export interface FolderUnwatched extends TriggerRef {
  readonly reason: 'notShared'
  readonly path: string
  readonly host: string
  readonly message: string
  readonly commands: readonly string[]
}

export interface PersonWanted extends StepRef {
  readonly runId: string
  readonly pipeline: string
  readonly reason: WaitReason
  /** When the step started. */
  readonly startedAt: string
  readonly message: string
  /** An answer that no process has acted on yet. */
  readonly sent?: Signed & { readonly decision: HumanDecision }
  /** The commands for the possible answers; once an answer is given, only the command that acts on it. */
  readonly commands: readonly string[]
  /** Why the caller's service refuses the commands: the run belongs to another service. */
  readonly elsewhere?: string
}

/**
 * A step that is waiting for another step, of the same run or of another run. That other step is working on the same
 * thing at the service.
 */
export interface StepBlocked extends BlockedStep {
  /** The step that it waits for, and why that step does not continue. */
  readonly message: string
  /** The command that frees it, if a person must do so. */
  readonly commands: readonly string[]
}

/**
 * A step whose job is waiting for an answer from another participant. `step` is the name of the step as people write
 * it.
 */
export type StepWithPartner = Omit<PartnerWait, 'since'> & { readonly since: string }

/** A run that has begun but not ended, and that no process is working on. */
export interface RunUnattended extends Pick<PersonWanted, 'runId' | 'pipeline' | 'message' | 'elsewhere'> {
  /**
   * `stuck`: the daemon owns it but cannot record or resume it. `orphaned`: no process owns it. `queued`: it is queued
   * for a worker, and no worker is alive.
   */
  readonly reason: 'stuck' | 'orphaned' | 'queued'
  /** When its last record was made. */
  readonly since: string
  readonly commands: readonly string[]
}

export interface RunUnderWay {
  readonly runId: string
  readonly pipeline: string
  /** When it left the queue. */
  readonly beganAt: string
  /** `process 4711 on HOST`. */
  readonly owner: string
  readonly partnerWaits?: PartnerWaits<string> | undefined
}

interface FailedRun {
  readonly runId: string
  readonly pipeline: string
  readonly finishedAt: string
  readonly step?: string
  readonly message: string
  /** How many runs failed like this in the last day, and when the first of them ended. */
  readonly failures: number
  readonly firstAt: string
}

export interface NextSlot extends TriggerRef {
  readonly at: string
  /** When its run starts: later than `at` if the schedule has a jitter. */
  readonly startsAt: string
  /** In the schedule's time zone: `2026-11-22 02:00 -05:00`. */
  readonly local: string
  readonly timezone: string
}

export interface SlotCounts {
  readonly ran: number
  /** The number of runs of slots that ran, by status; only counts above 0. */
  readonly outcomes: RunOutcomes
  readonly skipped: number
  readonly missed: number
  readonly failed: number
  /** Slots older than a day whose run was created in the last day, for example by a backfill. */
  readonly caughtUp: number
}

/** A schedule that has due slots but is no longer in any valid document. */
export interface RemovedSchedule extends TriggerRef {
  readonly due: number
  /** The first and the last of these slots. */
  readonly firstAt: string
  readonly lastAt: string
  readonly message: string
  /** The command that skips them. */
  readonly commands: readonly string[]
}

/** Ended runs that are waiting for runs of other pipelines. */
export interface WaitingSet {
  /** The runs that have ended, by pipeline. */
  readonly runs: Readonly<Record<string, string>>
  /** The pipelines whose runs are missing. */
  readonly lacking: readonly string[]
  /** When the wait ends. */
  readonly until: string
}

export interface AfterStatus extends TriggerRef {
  /** The names of the pipelines. */
  readonly pipelines: readonly string[]
  /** Ended runs that are waiting for others, oldest first. */
  readonly waiting: readonly WaitingSet[]
  /** As in SlotCounts. */
  readonly due: number
  readonly lastDay: Pick<SlotCounts, 'ran' | 'outcomes' | 'skipped' | 'missed' | 'failed'>
}

export interface FolderStatus extends TriggerRef {
  /** Absolute path of the watched folder. */
  readonly path: string
  /**
   * Why this trigger does not take the files of the folder, or why other triggers take some of them, too, according to
   * the current documents.
   */
  readonly warnings?: readonly string[] | undefined
  /** Files in progress, including those that wait for a run. */
  readonly open: number
  /** Files in the folder that cannot be taken; at most 20. */
  readonly ignored: readonly { readonly file: string; readonly reason: string }[]
  /**
   * As in /metrics. `ran`: files with a run, however it ended. `failed`: no run could be made. `runFailed`: runs that
   * failed or were cancelled; `outcomes` as in SlotCounts.
   */
  readonly lastDay: Pick<SlotCounts, 'ran' | 'outcomes' | 'skipped' | 'failed'> & { readonly runFailed: number }
}

/** A watch of a source on another machine, as its last check found it. */
export interface SourceStatus extends TriggerRef, Pick<FolderStatus, 'open' | 'lastDay'> {
  /** Its name in audience.yaml. */
  readonly source: string
  /** The folder there and the pattern of names. */
  readonly path: string
  /** Files there that have not been taken yet. */
  readonly waiting: number
  /** For a trigger that waits for sets: the sets that have not been taken yet, those that have waited longest first. */
  readonly sets?: readonly (Pick<RemoteSet, 'name' | 'missing'> & { readonly until?: string | undefined })[] | undefined
  /** Absent before the first check. */
  readonly lookedAt?: string | undefined
  /** When a check last succeeded in listing the files. */
  readonly reachedAt?: string | undefined
  /** What is wrong with it, and since when. */
  readonly problem?: (Omit<RemoteProblem, 'since'> & { readonly since: string }) | undefined
}
