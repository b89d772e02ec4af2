import { DURATION_PATTERN } from '../core/duration.ts'
import { SIZE_PATTERN } from '../core/size.ts'

/** The pieces from which the schema of audience.yaml is made. */

export const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const

export const texts = (description: string) =>
  ({ type: 'array', items: { type: 'string', minLength: 1 }, description }) as const

/** A program and its arguments. */
export const program = (description: string) =>
  ({ type: 'array', minItems: 1, items: { type: 'string' }, description }) as const

export const duration = (description: string) => ({ type: 'string', pattern: DURATION_PATTERN, description }) as const

export const size = (description: string) => ({ type: 'string', pattern: SIZE_PATTERN, description }) as const
