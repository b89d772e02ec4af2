import type { Message } from './message.ts'

/** A way to tell people. */
export interface Channel {
  /** As audience.yaml names it. */
  readonly name: string
  /** Tries once, within a bound of its own. Rejects only when the signal aborts. Nothing that it returns holds a secret. */
  send(message: Message, signal: AbortSignal): Promise<Delivery>
}

export type Delivery =
  /** `answer`: what the receiver said, in a few words. */
  | { readonly state: 'delivered'; readonly answer: string }
  | {
      readonly state: 'failed'
      readonly reason: string
      /** What is wrong: this message, or everything that is sent there now. */
      readonly concerns: 'message' | 'channel'
      /** How long the receiver asks to be left alone. */
      readonly retryAfterMs?: number
    }
