/** Says a message the first time, and never again. */
export type WarnOnce = (message: string) => void

/** More than any service has reasons for; what comes after is not said, so that a hostile one cannot fill the memory. */
const MOST_MESSAGES = 1000

export function warnOnce(warn: (message: string) => void): WarnOnce {
  const said = new Set<string>()
  return (message) => {
    if (said.has(message) || said.size >= MOST_MESSAGES) return
    said.add(message)
    warn(message)
  }
}
