/** The largest number that a test may contain. */
export const MAX_COUNT = 1_000_000

export const text = (description: string) => ({ type: 'string', minLength: 1, maxLength: 1000, description }) as const
export const count = (description: string, maximum = MAX_COUNT) =>
  ({ type: 'integer', minimum: 0, maximum, description }) as const
export const step = (description: string) =>
  text(`${description} A step by its id; in a forEach, such as \`audience[seg07].upload\`.`)

export const stepBelow = (description: string) =>
  step(`${description} In a pipeline that a step runs: \`refresh/ask\`.`)
