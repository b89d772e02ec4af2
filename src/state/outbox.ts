import type { Notification } from '../core/notification.ts'
import type { Occurrence } from '../core/occurrence.ts'
import type { FinalStatus, ToleratedFailures } from '../core/run.ts'
import type { DeploymentNews } from './deployments.ts'
import type { PartnerWait } from './run-history.ts'

/**
 * Holds notifications until they are delivered, and the outbox events that they are made from. The store records each
 * event in the transaction that causes it. So no event is lost, and events are in commit order. Every implementation
 * passes test/contract/outbox-suite.ts. Times are in milliseconds since 1970.
 */
export interface Outbox {
  /** Starts recording events. Earlier events cause no notifications. Has no effect if recording is already on. */
  begin(): Promise<void>
  /** Stops recording. Removes all events, and all notifications that are waiting for delivery. */
  end(): Promise<void>
  /** The outbox events that have not been processed yet, oldest first. */
  events(limit: number): Promise<readonly OutboxEvent[]>
  /** The waits for partners that began at or before `until` and have not been reported yet, longest first. */
  partnerWaits(until: number): Promise<readonly PartnerWait[]>
  /** The occurrence that caused a run; undefined if no trigger started the run. */
  startedBy(runId: string): Promise<Occurrence | undefined>
  /** A value that `commitBatch` stored under a name. */
  checkpoint(name: string): Promise<number | undefined>
  /** The values of all checkpoints whose name has this prefix, by name. */
  checkpoints(prefix: string): Promise<ReadonlyMap<string, number>>
  /**
   * Removes processed events, adds the notifications made from them, gives up notifications that new notifications
   * replace, and stores checkpoints. Atomic; durable when it resolves. Never adds a notification that its channel
   * already has or has had before.
   */
  commitBatch(change: OutboxChange): Promise<void>
  /** The notifications due for delivery on a channel, oldest first. */
  due(channel: string, now: number, limit: number): Promise<readonly Undelivered[]>
  /** Durable when it resolves. */
  delivered(ids: readonly number[], at: number): Promise<void>
  /** Records that notifications could not be delivered. Without `nextAt` there is no further attempt. */
  failed(ids: readonly number[], attempt: { error: string; nextAt?: number }): Promise<void>
  /** How many notifications are waiting for delivery, and how many have been given up and are still stored. */
  counts(): Promise<{ readonly pending: number; readonly failed: number }>
  /** Notifications that are waiting for delivery on channels that are not in the list, oldest first. */
  elsewhere(channels: readonly string[], limit: number): Promise<readonly Undelivered[]>
  /** Removes older notifications that were delivered or given up. */
  prune(before: number): Promise<void>
}

/** A change that may cause a notification. */
export type OutboxEvent = { readonly id: number } & (
  | ({
      readonly kind: 'ended'
      readonly runId: string
      readonly pipeline: string
      readonly status: FinalStatus
      readonly finishedAt: number
      /** The occurrence that caused the run; absent if no trigger started the run. */
      readonly occurrence?: Occurrence
    } & ToleratedFailures)
  /** A step of the run has begun to wait for a person. */
  | { readonly kind: 'waiting'; readonly runId: string; readonly pipeline: string; readonly occurrence?: Occurrence }
  /** A slot or a file was missed, or no run could be made for it. */
  | { readonly kind: 'occurrence'; readonly occurrence: Occurrence }
  /** A commit is refused, the repository of the pipelines cannot be reached, or all is well again. */
  | { readonly kind: 'deployment'; readonly news: DeploymentNews }
  /** The subject of the event no longer exists. */
  | { readonly kind: 'gone' }
)

export type EndedRun = Extract<OutboxEvent, { kind: 'ended' }>

export interface OutboxChange {
  /** Ids of events. */
  readonly events: readonly number[]
  readonly notifications: readonly { readonly channel: string; readonly notification: Notification }[]
  /** Ids of notifications that will not be delivered, because entries of `notifications` replace them. */
  readonly moved?: readonly number[]
  /** The waits for partners that this batch reports. They are not reported again. */
  readonly partnerWaits?: readonly Pick<PartnerWait, 'runId' | 'step'>[]
  /** The checkpoints to store, by name. Null removes a checkpoint. */
  readonly checkpoints: ReadonlyMap<string, number | null>
  /** When the new notifications become due. */
  readonly at: number
}

/** A notification on its way to a channel. */
export interface Undelivered {
  readonly id: number
  readonly notification: Notification
  /** How many delivery attempts have failed. */
  readonly attempts: number
}
