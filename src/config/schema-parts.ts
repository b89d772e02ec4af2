import { DURATION_PATTERN, parseDuration } from '../core/duration.ts'
import { SIZE_PATTERN } from '../core/size.ts'

/** The pieces from which the schema of audience.yaml is made. */

export const nonEmptyText = (description: string) => ({ type: 'string', minLength: 1, description }) as const

export const nonEmptyTexts = (description: string) =>
  ({ type: 'array', items: { type: 'string', minLength: 1 }, description }) as const

/** A program and its arguments. */
export const program = (description: string) =>
  ({ type: 'array', minItems: 1, items: { type: 'string' }, description }) as const

export const durationSetting = (description: string) =>
  ({ type: 'string', pattern: DURATION_PATTERN, description }) as const

export const sizeSetting = (description: string) => ({ type: 'string', pattern: SIZE_PATTERN, description }) as const

/** A duration that the schema has checked, in milliseconds. One that is too long for a number means forever. */
export function durationOf(text: string | undefined, defaultMs: number): number {
  return text === undefined ? defaultMs : (parseDuration(text) ?? Number.MAX_SAFE_INTEGER)
}
