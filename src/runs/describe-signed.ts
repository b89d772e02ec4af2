import type { HumanDecision, Signed } from '../core/run.ts'

/** ` by alice`; empty if the person is not known. */
function describeSigned({ by }: { by?: string | undefined }): string {
  return by === undefined ? '' : ` by ${by}`
}

/** ` by alice: "why"`, as far as it is known. */
export function describeSignature(signed: Signed): string {
  return `${describeSigned(signed)}${describeComment(signed)}`
}

/**
 * A decision, with who made it, when and why: `approved by alice at 2026-11-22 07:00:04 UTC: "the figures are right"`.
 */
export function describeDecision(
  { decision, at, ...signed }: Signed & { decision: HumanDecision; at: string },
  timeText: (ms: number) => string,
): string {
  return `${decision}${describeSigned(signed)} at ${timeText(Date.parse(at))}${describeComment(signed)}`
}

/** A decision that waits until a process acts on it. */
export function describeSent({ decision, ...signed }: Signed & { decision: HumanDecision }): string {
  return `${decision}${describeSignature(signed)}; this waits until the run is resumed`
}

/** `: "why"`; empty without a comment. */
function describeComment({ comment }: Signed): string {
  return comment === undefined ? '' : `: "${comment}"`
}
