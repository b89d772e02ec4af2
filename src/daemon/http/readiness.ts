/** One thing that has to be in order before the daemon does its work, and why it is not; undefined when it is. */
export type Check = () => string | undefined

export interface NotReady {
  readonly check: string
  readonly reason: string
}

/** What is not in order, in the order of the checks. */
export function notReady(checks: Readonly<Record<string, Check>>): readonly NotReady[] {
  return Object.entries(checks).flatMap(([check, look]) => {
    const reason = look()
    return reason === undefined ? [] : [{ check, reason }]
  })
}
