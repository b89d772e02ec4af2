import type { SentMessage } from '../state/run-history.ts'

/** Puts cancels before decisions, so that a decision does not start anything in a cancelled run. */
export function cancelsFirst(sent: readonly SentMessage[]): SentMessage[] {
  const place = ({ message }: SentMessage) => (message.kind === 'cancel' ? 0 : 1)
  return sent.toSorted((a, b) => place(a) - place(b))
}
