import { relative } from 'node:path'
import { realPath } from '../platform/real-path.ts'
import { isInside, isOfGit } from '../policy/allowed-file.ts'

/** Whether a path leads out of a project, or to what git keeps of it: whoever wrote its files also wrote its links. */
export function isOutside(path: string, root: string): boolean {
  return !isInside(path, [root]) || isOfGit(relative(realPath(root), realPath(path)))
}
