import { dirname } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import type { Policy, PolicyProblem } from '../core/policy.ts'
import { fileProblem } from './allowed-file.ts'

/** Throws where a policy does not let a file be used in a run. Only what it lists is enforced here. */
export function fileCheck(policy: Policy): (path: string) => void {
  if (!policy.fileRoots) return () => undefined
  return (path) => {
    const problem = fileProblem(path, dirname(path), policy)
    if (problem?.severity === 'error') throw policyError(problem)
  }
}

/** A problem as the error of a run. */
export function policyError({ code, message, hint }: PolicyProblem): AudienceError {
  return new AudienceError({ code, kind: 'invalid', message, hint })
}
