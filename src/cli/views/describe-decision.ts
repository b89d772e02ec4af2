import type { Decision, Signed } from '../../core/run.ts'
import { describeComment, describeSignature, describeSigned } from '../../runs/describe-signed.ts'
import { writeTime } from './write-time.ts'

/** A decision with who made it, when and why: `approved by alice at 2026-11-22 07:00 UTC: "the figures are right"`. */
export function describeDecision({ decision, at, ...signed }: Signed & { decision: Decision; at: string }): string {
  return `${decision}${describeSigned(signed)} at ${writeTime(Date.parse(at))}${describeComment(signed)}`
}

/** A decision that waits until a process acts on it. */
export function describeSent({ decision, ...signed }: Signed & { decision: Decision }): string {
  return `${decision}${describeSignature(signed)}; this waits until the run is resumed`
}
