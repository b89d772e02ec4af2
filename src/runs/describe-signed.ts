import type { Signed } from '../core/run.ts'

/** ` by alice`; empty if it is not known who. */
export function describeSigned({ by }: { readonly by?: string | undefined }): string {
  return by === undefined ? '' : ` by ${by}`
}

/** ` by alice: "why"`, as far as it is known. */
export function describeSignature(signed: Signed): string {
  return `${describeSigned(signed)}${describeComment(signed)}`
}

/** `: "why"`; empty without a comment. */
export function describeComment({ comment }: Signed): string {
  return comment === undefined ? '' : `: "${comment}"`
}
