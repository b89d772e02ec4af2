import { relative } from 'node:path'
import { isBelow } from '../platform/is-below.ts'
import { realPath } from '../platform/real-path.ts'
import { isInside, isOfGit } from './allowed-file.ts'

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
