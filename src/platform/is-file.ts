import { statSync } from 'node:fs'
import { reasonOf } from '../core/message-of.ts'
import { tried } from '../core/tried.ts'
import { mayBeNotUtf8, NAME_NOT_UTF8 } from '../core/utf8-name.ts'

/** Whether a path is a file that could be sent. A folder, or a path that cannot be read, is not. */
export function isFile(path: string): boolean {
  return tried(() => statSync(path).isFile()) ?? false
}

/** Whether something is at a path. Throws if this user may not look there, because then the answer is not known. */
export function pathExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/**
 * Why the system does not let this user look at a path, for example because this user may not enter a folder above it.
 * In that case, callers must not say that nothing is there. Undefined if the system lets this user look.
 */
export function whyUnseen(path: string): string | undefined {
  try {
    return !pathExists(path) && mayBeNotUtf8(path) ? `${NAME_NOT_UTF8}, or it is not there` : undefined
  } catch (error) {
    return reasonOf(error)
  }
}
