import type { FileHandle } from 'node:fs/promises'
import type { Policy, PolicyProblem } from '../core/policy.ts'
import { isInside } from './allowed-file.ts'
import { openAllowed, policyError } from './enforce.ts'

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
 * Opens a file that a run uploads, or throws if the run may not upload it. Files in `lists`, which the run prepared,
 * are allowed. `checkFile` decides about others, unless only prepared files are allowed.
 */
export function uploadOpener(
  policy: Policy,
  { lists, checkFile }: { lists: (runId: string) => string; checkFile: (path: string) => void },
): (path: string, runId: string) => Promise<FileHandle> {
  const check = (path: string, runId: string): void => {
    if (isInside(path, [lists(runId)])) return
    const problem = unpreparedProblem(policy)
    if (problem) throw policyError(problem)
    checkFile(path)
  }
  return (path, runId) => openAllowed(path, (one) => check(one, runId))
}
