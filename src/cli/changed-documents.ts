import { realpathSync } from 'node:fs'
import type { Policy } from '../core/policy.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { isTestName } from '../daemon/documents/find-pipeline-files.ts'
import { loadPipeline } from '../pipeline/load-pipeline.ts'
import { referencedFiles } from '../pipeline/referenced-files.ts'
import { changedSince } from '../platform/git-changes.ts'
import { documentPolicy } from '../policy/document-policy.ts'
import { stepTypes } from '../steps/index.ts'
import type { Terminal } from './terminal.ts'

/**
 * The documents of the pipelines folder that a branch touches: those that changed since the git REF, or that name a file
 * or run a pipeline that did. An invalid document counts if it changed itself.
 */
export async function changedDocuments(
  ref: string,
  {
    pipelines,
    policy,
    values,
  }: { readonly pipelines: string; readonly policy: Policy; readonly values: ProfileValues },
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<string[]> {
  const hasChanged = await changedSince(ref, { folder: cwd, env })
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
  return findDocuments([pipelines], cwd).filter((file) => !isTestName(file) && isTouched(file, new Set()))
}

/** A path that does not exist, such as of a deleted file, stays as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
