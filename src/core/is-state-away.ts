import { AudienceError } from './errors.ts'

/** Whether something failed because the database of the state cannot be reached. The engine reports that once. */
export function isStateAway(error: unknown): boolean {
  return error instanceof AudienceError && error.code === 'state-unreachable'
}
