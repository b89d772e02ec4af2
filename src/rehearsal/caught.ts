import type { Notification } from '../core/notification.ts'

/** What was to reach people or other systems, and was caught instead. */
export interface Caught {
  readonly notified: { readonly channel: string; readonly event: Notification['event'] | 'test' }[]
  readonly sent: { readonly url: string; readonly body: string }[]
}
