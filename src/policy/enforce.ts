import { dirname } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import type { Policy, PolicyProblem } from '../core/policy.ts'
import { fileProblem } from './allowed-file.ts'

/** Returns a check that throws if the policy forbids a file in a run. Only what the policy lists is enforced here. */
export function fileCheck(policy: Policy): (path: string) => void {
  if (!policy.fileRoots && policy.within === undefined) return () => undefined
  return (path) => {
    const problem = fileProblem(path, dirname(path), policy)
    if (problem?.severity === 'error') throw policyError(problem)
  }
}

/** A problem as the error of a run. */
export function policyError({ code, message, hint }: PolicyProblem): AudienceError {
  return new AudienceError({ code, kind: 'invalid', message, hint })
}
