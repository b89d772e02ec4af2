import { AudienceError } from '../../core/errors.ts'

/** Whether it is an error of ours whose code begins with a prefix. */
export function isErrorOf(error: unknown, prefix: string): error is AudienceError {
  return error instanceof AudienceError && error.code.startsWith(prefix)
}
