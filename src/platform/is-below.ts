import { isAbsolute, relative, sep } from 'node:path'

/** Whether `path` is `folder` itself or is below it. Both are absolute; links are not followed. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
