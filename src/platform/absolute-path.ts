import { isAbsolute } from 'node:path'

/**
 * The PATH in which a program is looked for: one of the working directory is never meant. Undefined if no folder is left,
 * because an empty PATH means the working directory; without one, the system looks in its own folders.
 */
export function absolutePath(path: string | undefined): string | undefined {
  return path?.split(':').filter(isAbsolute).join(':') || undefined
}
