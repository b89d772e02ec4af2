/** One condition for the daemon to do its work: returns why it is not met, or undefined if it is. */
export type Check = () => string | undefined

export interface NotReady {
  readonly check: string
  readonly reason: string
}

/** The conditions that are not met, in the order of the checks. */
export function notReady(checks: Readonly<Record<string, Check>>): readonly NotReady[] {
  return Object.entries(checks).flatMap(([check, look]) => {
    const reason = look()
    return reason === undefined ? [] : [{ check, reason }]
  })
}
