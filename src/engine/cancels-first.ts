import type { SentMessage } from '../state/run-history.ts'

/** Messages in the order in which to act on them: what was decided about a run that is cancelled begins nothing more. */
export function cancelsFirst(sent: readonly SentMessage[]): SentMessage[] {
  const place = ({ message }: SentMessage) => (message.kind === 'cancel' ? 0 : 1)
  return sent.toSorted((a, b) => place(a) - place(b))
}
