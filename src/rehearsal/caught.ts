import type { Notification } from '../core/notification.ts'

/** Messages and requests that were meant for people or other systems, and were caught instead. */
export interface Caught {
  readonly notified: { readonly channel: string; readonly event: Notification['event'] | 'test' }[]
  readonly sent: { readonly url: string; readonly body: string }[]
}
