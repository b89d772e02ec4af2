import { AudienceError } from '../../core/errors.ts'

/** Whether something is one of our errors, with a code that begins with a prefix. */
export function isErrorOf(error: unknown, prefix: string): error is AudienceError {
  return error instanceof AudienceError && error.code.startsWith(prefix)
}
