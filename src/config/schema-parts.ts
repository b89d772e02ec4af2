import { DURATION_PATTERN } from '../core/duration.ts'

/** The pieces that the schema of audience.yaml is made of. */

export const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const

export const duration = (description: string) => ({ type: 'string', pattern: DURATION_PATTERN, description }) as const
