import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type AudienceError, invalidError } from '../core/errors.ts'
import type { Policy, PolicyProblem } from '../core/policy.ts'
import { openNamed } from '../platform/open-regular.ts'
import { pathOfOpen } from '../platform/path-of-open.ts'
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
  return invalidError(code, message, hint)
}

/**
 * Opens a file for reading, or throws if `check` does. Checks the open file, because its path may lead elsewhere by the
 * time it is read.
 */
export async function openAllowed(path: string, check: (path: string) => void): Promise<FileHandle> {
  // Also checks before opening, so that a forbidden file is not touched.
  check(path)
  const file = await openNamed(path)
  try {
    check(pathOfOpen(file.fd, path))
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
