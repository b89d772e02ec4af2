import { relative } from 'node:path'
import { realPath } from '../platform/real-path.ts'
import { isInside, isOfGit } from '../policy/allowed-file.ts'

/**
 * Whether a path leads out of a project, or into git's own files. Whoever wrote the project's files also wrote its
 * links.
 */
export function isOutside(path: string, root: string): boolean {
  return !isInside(path, [root]) || isOfGit(relative(realPath(root), realPath(path)))
}
