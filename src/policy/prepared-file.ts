import type { Policy, PolicyProblem } from '../core/policy.ts'
import { isInside } from './allowed-file.ts'
import { policyError } from './enforce.ts'

/** Why a file that `files.prepare` did not write may not be uploaded. */
export function unpreparedProblem({ requirePrepared }: Policy): PolicyProblem | undefined {
  if (!requirePrepared) return undefined
  return {
    severity: 'error',
    code: 'not-prepared',
    message: 'only files that files.prepare wrote may be uploaded: privacy.requirePrepared of audience.yaml is true',
    hint: 'put a step with uses: files.prepare before it, and upload its output: ${{ steps.list.outputs.file }}',
  }
}

/**
 * Returns a check that throws if a run may not upload a file. The files that it prepared itself, which are in `lists`, it
 * may; `checkFile` decides about others, unless they must be prepared.
 */
export function uploadCheck(
  policy: Policy,
  { lists, checkFile }: { readonly lists: (runId: string) => string; readonly checkFile: (path: string) => void },
): (path: string, runId: string) => void {
  return (path, runId) => {
    if (isInside(path, [lists(runId)])) return
    const problem = unpreparedProblem(policy)
    if (problem) throw policyError(problem)
    checkFile(path)
  }
}
