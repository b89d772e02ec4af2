/** The output of every ensure step that says what it did. */
export const actionOutput = {
  enum: ['created', 'updated', 'refreshed', 'unchanged'],
  description: 'What had to be done.',
} as const

export const changedOutput = (description: string) =>
  ({ type: 'array', items: { type: 'string' }, description }) as const

export const refreshInput = (description: string) =>
  ({ enum: ['auto', 'always', 'never'], default: 'auto', description }) as const
