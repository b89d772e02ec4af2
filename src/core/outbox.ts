import type { Notification } from './notification.ts'
import type { FinalStatus } from './run.ts'
import type { Occurrence } from './trigger-ledger.ts'

/**
 * Where notifications wait until they are delivered, and what they are made of: happenings, which the store notes in
 * the transaction in which they happen, so that none is lost and their order is that of the commits. Every
 * implementation passes test/contract/outbox-suite.ts. Times are in milliseconds since 1970.
 */
export interface Outbox {
  /** Notes happenings from now on; what happened before is told to nobody. Without effect where it does so already. */
  begin(): Promise<void>
  /** Notes none any more, and forgets those that it has and all that waits to be delivered. */
  end(): Promise<void>
  /** Those that nothing was made of yet, oldest first. */
  happenings(limit: number): readonly Happening[]
  /** What a run was made of; undefined where no trigger started it. */
  startedBy(runId: string): Occurrence | undefined
  /** A value that `settle` kept under a name. */
  mark(name: string): number | undefined
  /**
   * Ends happenings, adds what was made of them and keeps marks. Atomic, durable when it resolves. A notification that a
   * channel has or had already is not added again.
   */
  settle(change: OutboxChange): Promise<void>
  /** What is due to be delivered on a channel, oldest first. */
  due(channel: string, now: number, limit: number): readonly Undelivered[]
  /** Durable when it resolves. */
  delivered(ids: readonly number[], at: number): Promise<void>
  /** They could not be delivered; without `nextAt` that is not tried again. */
  failed(ids: readonly number[], attempt: { readonly error: string; readonly nextAt?: number }): Promise<void>
  /** How many wait to be delivered, and how many were given up and are still remembered. */
  counts(): { readonly pending: number; readonly failed: number }
  /** Gives up what waits for channels that are not named; resolves with how many that were. */
  abandonOthers(channels: readonly string[]): Promise<number>
  /** Removes what was delivered or given up and is older. */
  prune(before: number): Promise<void>
}

/** Something that people may have to be told of. */
export type Happening = { readonly id: number } & (
  | {
      readonly kind: 'ended'
      readonly runId: string
      readonly pipeline: string
      readonly status: FinalStatus
      readonly finishedAt: number
      /** What the run was made of; none where no trigger started it. */
      readonly occurrence?: Occurrence
    }
  /** A step of the run has begun to wait for a person. */
  | { readonly kind: 'waiting'; readonly runId: string; readonly pipeline: string; readonly occurrence?: Occurrence }
  /** A slot or a file was missed, or no run could be made of it. */
  | { readonly kind: 'occurrence'; readonly occurrence: Occurrence }
  /** What it was about is not there any more. */
  | { readonly kind: 'gone' }
)

export interface OutboxChange {
  /** Ids of happenings. */
  readonly happenings: readonly number[]
  readonly notifications: readonly { readonly channel: string; readonly notification: Notification }[]
  /** Null removes a mark. */
  readonly marks: ReadonlyMap<string, number | null>
  /** From when on they are due. */
  readonly at: number
}

/** A notification on its way to a channel. */
export interface Undelivered {
  readonly id: number
  readonly notification: Notification
  /** How often delivering it has failed. */
  readonly attempts: number
}
