import type { Policy } from '../core/policy.ts'

/** A policy for documents that may use nothing outside a folder. */
export function policyWithin(folder: string, policy: Policy): Policy {
  return { ...policy, within: folder }
}
