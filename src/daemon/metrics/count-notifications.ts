import type { Outbox } from '../../state/outbox.ts'

/** `retried`: the attempt failed and another follows. `failed`: it was the last one. */
export type NotificationOutcome = 'delivered' | 'retried' | 'failed'

/** Wraps the outbox of a notifier to report the outcome of each delivery attempt. */
export function countNotifications(
  outbox: Outbox,
  tell: (outcome: NotificationOutcome, count: number) => void,
): Outbox {
  return {
    ...outbox,
    async delivered(ids, at) {
      await outbox.delivered(ids, at)
      tell('delivered', ids.length)
    },
    async failed(ids, attempt) {
      await outbox.failed(ids, attempt)
      tell(attempt.nextAt === undefined ? 'failed' : 'retried', ids.length)
    },
  }
}
