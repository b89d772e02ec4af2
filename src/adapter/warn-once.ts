/** Logs a message only the first time. */
export type WarnOnce = (message: string) => void

/**
 * No normal service causes more messages than this. Further messages are dropped, so that a hostile service cannot use
 * up the memory.
 */
const MOST_MESSAGES = 1000

export function warnOnce(warn: (message: string) => void): WarnOnce {
  const said = new Set<string>()
  return (message) => {
    if (said.has(message) || said.size >= MOST_MESSAGES) return
    said.add(message)
    warn(message)
  }
}
