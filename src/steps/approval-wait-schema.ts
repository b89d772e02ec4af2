import type { ObjectSchema, Static } from '../core/json-schema.ts'

export const approvalWaitInput = {
  type: 'object',
  properties: {
    message: { type: 'string', maxLength: 1000, description: 'What the person is asked.' },
  },
} as const
export type ApprovalWaitInput = Static<typeof approvalWaitInput>

export const approvalWaitOutput = {
  type: 'object',
  required: ['decision'],
  properties: { decision: { enum: ['approved'], description: 'What the person said; a no fails the step.' } },
} as const satisfies ObjectSchema
