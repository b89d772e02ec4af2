import type { Outbox } from '../../core/outbox.ts'

/** `retried`: the attempt failed and another follows. `failed`: it was the last one. */
export type NotificationOutcome = 'delivered' | 'retried' | 'failed'

/** The outbox that a notifier is given, so that what becomes of attempts at delivering is told. */
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
