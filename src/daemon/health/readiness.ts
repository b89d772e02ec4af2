/**
 * A condition that must be met so that the daemon can do its work. Returns why it is not met, or undefined if it is
 * met.
 */
export type Condition = () => string | undefined | Promise<string | undefined>

export interface NotReady {
  readonly check: string
  readonly reason: string
}

/** The conditions that are not met, in the order of the checks. */
export async function notReady(checks: Readonly<Record<string, Condition>>): Promise<readonly NotReady[]> {
  const missing: NotReady[] = []
  for (const [check, look] of Object.entries(checks)) {
    const reason = await look()
    if (reason !== undefined) missing.push({ check, reason })
  }
  return missing
}
