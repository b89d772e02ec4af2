import { sep } from 'node:path'

/** Whether a path leads through a folder of git, also where the file system makes no difference of case. */
export function isOfGit(path: string): boolean {
  return path.split(sep).some((part) => part.toLowerCase() === '.git')
}
