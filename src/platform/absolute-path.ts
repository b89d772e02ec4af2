import { isAbsolute } from 'node:path'

/**
 * The PATH in which to look for a program, without relative folders, because callers never mean a program in the
 * working directory. Undefined if no folder is left, because an empty PATH means the working directory. Without a PATH,
 * the system looks in its own folders.
 */
export function absolutePath(path: string | undefined): string | undefined {
  return path?.split(':').filter(isAbsolute).join(':') || undefined
}
