import type { Policy } from '../core/policy.ts'
import { isBelow } from '../platform/is-below.ts'

/** A policy for documents that may use nothing outside a folder. */
export function policyWithin(folder: string, policy: Policy): Policy {
  return { ...policy, fileRoots: policy.fileRoots?.filter((root) => isBelow(folder, root)) ?? [folder] }
}
