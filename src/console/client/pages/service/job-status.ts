const ENDED: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'PARTIAL_SUCCESS', 'CANCELLED', 'REJECTED'])

/** Whether a job with this status changes no more. */
export function isEnded(status: string): boolean {
  return ENDED.has(status)
}
