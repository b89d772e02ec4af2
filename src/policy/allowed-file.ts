import { relative, sep } from 'node:path'
import type { Policy, PolicyProblem } from '../core/policy.ts'
import { isBelow } from '../platform/is-below.ts'
import { realPath } from '../platform/real-path.ts'

/**
 * The reason why a document may not use a file or a folder. Both paths are absolute; `documentFolder` is the document's
 * folder. Symbolic links are resolved first. Without `fileRoots` and `within`, there is only a warning, for files
 * outside the project.
 */
export function fileProblem(path: string, documentFolder: string, policy: Policy): PolicyProblem | undefined {
  const { fileRoots, copies, within } = policy
  const problem = (severity: PolicyProblem['severity'], where: string, hint: string): PolicyProblem => {
    return { severity, code: 'file-not-allowed', message: `${path}${ledTo(path)} is ${where}`, hint }
  }
  if (policy.untrusted && isOfGit(realPath(path)))
    return problem('error', 'in a git folder, which may contain tokens', 'documents that others wrote cannot read it')
  // `copies` contains files that triggers took from other machines; nobody can guess their names.
  const isIn = (folders: readonly string[]) => isInside(path, copies === undefined ? folders : [...folders, copies])
  if (within !== undefined && !isIn([within])) {
    const hint = policy.project === undefined ? NO_CONFIG : 'move it there: nothing outside the project is used here'
    return problem('error', 'outside the project', hint)
  }
  if (fileRoots) {
    if (isIn(fileRoots)) return undefined
    const hint = 'move it there, or add its folder if documents should be able to use it'
    return problem('error', 'outside policy.fileRoots of audience.yaml', hint)
  }
  if (within !== undefined) return undefined
  const project = projectOf(documentFolder, policy)
  if (isInside(path, [project])) return undefined
  const listIt = 'list its folder under policy.fileRoots in audience.yaml if that is intended'
  return problem('warning', `outside the project ${project}`, policy.project === undefined ? NO_CONFIG : listIt)
}

/** What to do about a file outside the project if there is no audience.yaml. */
export const NO_CONFIG =
  'there is no audience.yaml, so the folder of the document is its project: put one, which may be empty, into a folder that contains both the document and the file'

/** The folder of audience.yaml if the document is below it, else the document's own folder. */
function projectOf(documentFolder: string, { project }: Policy): string {
  return project !== undefined && isInside(documentFolder, [project]) ? project : documentFolder
}

/** Whether a path is in one of several folders. Symbolic links are resolved first. */
export function isInside(path: string, folders: readonly string[]): boolean {
  const real = realPath(path)
  return folders.some((folder) => isBelow(realPath(folder), real))
}

/** Where symbolic links lead, if the path contains any. */
function ledTo(path: string): string {
  const real = realPath(path)
  return real === path ? '' : ` (${real})`
}

/** Whether a path leads through a folder of git, in upper or lower case. */
export function isOfGit(path: string): boolean {
  return path.split(sep).some((part) => part.toLowerCase() === '.git')
}

/**
 * Whether a path is in a working tree by its name but leads out of it through a link, or into a folder of git. Whoever
 * wrote the files of the tree also wrote its links. `root` is a real path.
 */
export function leavesTree(path: string, root: string): boolean {
  if (!isBelow(root, path)) return false
  return !isInside(path, [root]) || isOfGit(relative(root, path)) || isOfGit(relative(root, realPath(path)))
}

/** Whether a path is in a working tree by its name, or because a link leads there. `root` is a real path. */
export function touchesTree(path: string, root: string): boolean {
  return isBelow(root, path) || isBelow(root, realPath(path))
}

/** A policy for documents that may use nothing outside a folder. */
export function policyWithin(folder: string, policy: Policy): Policy {
  return { ...policy, within: folder }
}
