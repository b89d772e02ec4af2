import { relative, sep } from 'node:path'
import { isBelow } from '../platform/is-below.ts'
import { isInside } from './allowed-file.ts'

/**
 * Whether a path lies in a working tree by its name and leads out of it by a link, or into a folder of git. Whoever wrote
 * the files of the tree also wrote its links. `root` is a real path.
 */
export function leavesTree(path: string, root: string): boolean {
  if (!isBelow(root, path)) return false
  return (
    !isInside(path, [root]) ||
    relative(root, path)
      .split(sep)
      .some((part) => part.toLowerCase() === '.git')
  )
}
