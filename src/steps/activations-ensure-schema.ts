import { activationOperations } from '../contract/activations.ts'
import type { ObjectSchema, Static } from '../core/json-schema.ts'
import { jobOutputSchema } from './job-output-schema.ts'

const create = activationOperations['activations.create']

export const activationsEnsureInput = {
  ...create.input,
  properties: {
    ...create.input.properties,
    onChange: {
      enum: ['fail', 'keep', 'replace'],
      default: 'fail',
      description:
        'What to do when the step asks for another refreshRate, campaign, agency, brand or date than the activation was made with, because the service changes none of them: fail the step and name them; keep the activation as it is; replace it, which deletes it and creates another.',
    },
  },
} as const
export type ActivationsEnsureInput = Static<typeof activationsEnsureInput>

const output = jobOutputSchema('activations.create')

export const activationsEnsureOutput: ObjectSchema = {
  ...output,
  required: ['action', 'changed'],
  properties: {
    ...output.properties,
    action: { enum: ['created', 'replaced', 'unchanged'], description: 'What had to be done.' },
    changed: {
      type: 'array',
      items: { type: 'string' },
      description:
        'What the known activation differed in: ["segment"] or ["match"] where it was of another one and one was created, the names of fields where `onChange` kept or replaced it; otherwise empty.',
    },
  },
}
