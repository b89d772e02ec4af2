import type { SteadyClock } from '../core/clock.ts'
import type { Machine } from '../platform/machine.ts'
import type { AuditLog } from './audit-log.ts'
import type { Claims } from './claims.ts'
import type { Deployments } from './deployments.ts'
import type { Ends } from './ends.ts'
import type { MadeThings, ReadableMadeThings } from './made-things.ts'
import type { Mutes } from './mutes.ts'
import type { OccurrenceStore } from './occurrence-store.ts'
import type { Outbox } from './outbox.ts'
import type { RemoteLedger } from './remote-ledger.ts'
import type { RunHistory } from './run-history.ts'
import type { StepMemory } from './step-memory.ts'
import type { Workers } from './worker-row.ts'

/**
 * Everything that is recorded, behind one interface. The engine writes the records of runs in its own way. All other
 * code reads and writes through this interface. Every read is a promise, because the state may be a file or a database
 * on another machine.
 */
export interface State {
  /** The runs and their results. */
  readonly runs: RunHistory
  /** The outcome of each slot and each file. */
  readonly occurrences: OccurrenceStore
  /** The ended runs that triggers wait for. */
  readonly ends: Ends
  /** What triggers know about files on other machines. */
  readonly remote: RemoteLedger
  /** The notifications to people. */
  readonly outbox: Outbox
  /** The pipelines that are muted for a limited time. */
  readonly mutes: Mutes
  /** Which commit of the pipelines is in use. */
  readonly deployments: Deployments
  /** What steps remember for the next run. */
  readonly memory: StepMemory
  /** The claims: which step looks for and makes which resource. */
  readonly claims: Claims
  /** The resources that runs made at the service. */
  readonly made: MadeThings
  /** Who did what. */
  readonly audit: AuditLog
  /** The processes that share the state; absent for a folder. */
  readonly workers?: Workers
  /** Rejects with an error for people if nothing can be written now. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** The process that opens a state, as other processes identify it. */
export interface StateAround {
  readonly clock: SteadyClock
  readonly machine: Machine
}

/** The reads over many runs, which can take a long time. */
export type ListReads = Pick<
  RunHistory,
  'page' | 'newestOf' | 'changedSince' | 'endedSince' | 'countsByHour' | 'figures'
>

/** A state that was opened for reading only. */
export interface ReadableState {
  readonly runs: Omit<RunHistory, 'remove' | 'pack' | 'send' | 'acknowledge' | 'leave'>
  readonly occurrences: Pick<OccurrenceStore, 'memories' | 'list' | 'summary' | 'triggersDue'>
  readonly ends: Pick<Ends, 'open' | 'taken' | 'after'>
  readonly remote: Pick<RemoteLedger, 'files' | 'looks'>
  readonly outbox: Pick<Outbox, 'counts'>
  readonly mutes: Pick<Mutes, 'list'>
  readonly deployments: Pick<Deployments, 'current' | 'list' | 'standing'>
  readonly memory: Pick<StepMemory, 'get'>
  readonly made: ReadableMadeThings
  readonly audit: Pick<AuditLog, 'list'>
  /** Absent for a folder. */
  readonly workers?: Pick<Workers, 'list'>
  /** Rejects with `state-changed` if what was read may be wrong. */
  close(): Promise<void>
}
