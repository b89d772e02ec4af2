import { activationOperations } from '../contract/activations.ts'
import type { ObjectSchema, Static } from '../core/json-schema.ts'
import { jobOutputSchema } from './job-output-schema.ts'

const create = activationOperations['activations.create']

export const activationsEnsureInput = create.input
export type ActivationsEnsureInput = Static<typeof activationsEnsureInput>

const output = jobOutputSchema('activations.create')

export const activationsEnsureOutput: ObjectSchema = {
  ...output,
  required: ['action', 'changed'],
  properties: {
    ...output.properties,
    action: { enum: ['created', 'unchanged'], description: 'What had to be done.' },
    changed: {
      type: 'array',
      items: { type: 'string' },
      description: '["segment"] or ["match"] where the known activation was of another one; otherwise empty.',
    },
  },
}
