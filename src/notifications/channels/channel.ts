import type { Message } from '../message.ts'

/** A way to notify people. */
export interface Channel {
  /** Its name in audience.yaml. */
  readonly name: string
  /** The channel opens incidents and closes them. So it is told when an event ends, if it may have received the event. */
  readonly resolves?: true
  /** Tries once, within its own time limit. Rejects only when the signal aborts. Its result never contains a secret. */
  send(message: Message, signal: AbortSignal): Promise<Delivery>
}

export type Delivery =
  /** `answer`: the receiver's answer in a few words. */
  | { readonly state: 'delivered'; readonly answer: string }
  | {
      readonly state: 'failed'
      readonly reason: string
      /** What the failure concerns: this message, or everything sent through the channel now. */
      readonly concerns: 'message' | 'channel'
      /** How long the receiver asks the sender to wait. */
      readonly retryAfterMs?: number
    }
