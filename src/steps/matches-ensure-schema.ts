import { matchOperations } from '../contract/matches.ts'
import type { ObjectSchema, Static } from '../core/json-schema.ts'
import { actionOutput, changedOutput, refreshInput } from './ensure-schema.ts'
import { jobOutputSchema, repeatedOutput } from './job-output-schema.ts'

const create = matchOperations['matches.create']

export const matchesEnsureInput = {
  ...create.input,
  // The service's default for both is true, so the author of a pipeline has to state them (decision 65).
  required: [...create.input.required, 'shareSegmentName', 'accessBgIds'],
  properties: {
    ...create.input.properties,
    refresh: refreshInput(
      'When to match again: auto when the segment was built since, as far as is known; always; never.',
    ),
  },
} as const
export type MatchesEnsureInput = Static<typeof matchesEnsureInput>

export const matchesEnsureRules = create.rules

const output = jobOutputSchema('matches.create')

export const matchesEnsureOutput: ObjectSchema = {
  ...output,
  required: ['action', 'changed'],
  properties: {
    ...output.properties,
    repeated: repeatedOutput,
    action: actionOutput,
    changed: changedOutput('["segment"] where the segment was built since, or may have been; otherwise empty.'),
  },
}
