import type { ObjectSchema, Static } from '../core/json-schema.ts'

export const pipelinesRunInput = {
  type: 'object',
  required: ['file'],
  properties: {
    file: {
      type: 'string',
      format: 'file',
      minLength: 1,
      description: 'The other pipeline; relative to this document.',
    },
    inputs: { type: 'object', description: 'Inputs of the other pipeline, by name.' },
  },
} as const satisfies ObjectSchema
export type PipelinesRunInput = Static<typeof pipelinesRunInput>

export const pipelinesRunOutput = {
  type: 'object',
  required: ['runId'],
  properties: {
    runId: { type: 'string', description: 'Id of the other run.' },
    outputs: { type: 'object', description: 'The outputs of the other pipeline.' },
  },
} as const satisfies ObjectSchema
