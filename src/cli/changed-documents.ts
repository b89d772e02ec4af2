import type { Policy } from '../core/policy.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { isTestName } from '../daemon/documents/find-pipeline-files.ts'
import { loadPipeline } from '../pipeline/load-pipeline.ts'
import { referencedFiles } from '../pipeline/referenced-files.ts'
import type { GitBase } from '../platform/git-changes.ts'
import { realPath } from '../platform/real-path.ts'
import { documentPolicy } from '../policy/document-policy.ts'
import { stepTypes } from '../steps/index.ts'

/**
 * The documents that a branch touches: those that changed since the branch left its base, those that name a changed
 * file, and those that run a changed pipeline. An invalid document counts if it has itself changed.
 */
export function changedDocuments(
  files: readonly string[],
  { hasChanged }: Pick<GitBase, 'hasChanged'>,
  { policy, values }: { policy: Policy; values: ProfileValues },
): string[] {
  const isTouched = (path: string, seen: ReadonlySet<string>): boolean => {
    if (hasChanged(realPath(path))) return true
    const document = seen.has(path) ? undefined : documentAt(path)
    const pipeline =
      document &&
      !('unread' in document) &&
      loadPipeline({ ...document, file: path, stepTypes, values, policy: documentPolicy(policy) }).pipeline
    if (!pipeline) return false
    const { files, pipelines: nested } = referencedFiles(pipeline, stepTypes)
    const within = new Set([...seen, path])
    return files.some((file) => hasChanged(realPath(file))) || nested.some((other) => isTouched(other, within))
  }
  return files.filter((file) => !isTestName(file) && isTouched(file, new Set()))
}
