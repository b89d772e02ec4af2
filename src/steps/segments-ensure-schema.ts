import { segmentOperations } from '../contract/segments.ts'
import type { ObjectSchema, Static } from '../core/json-schema.ts'
import { actionOutput, changedOutput, refreshInput } from './ensure-schema.ts'
import { jobOutputSchema, repeatedOutput } from './job-output-schema.ts'

const create = segmentOperations['segments.create']

export const segmentsEnsureInput = {
  ...create.input,
  properties: {
    ...create.input.properties,
    refresh: refreshInput(
      'When to build an existing segment again: auto when its file is another than the one it was built from; always; never.',
    ),
  },
} as const
export type SegmentsEnsureInput = Static<typeof segmentsEnsureInput>

export const segmentsEnsureRules = create.rules

const output = jobOutputSchema('segments.create')

export const segmentsEnsureOutput: ObjectSchema = {
  ...output,
  required: ['action', 'changed'],
  properties: {
    ...output.properties,
    repeated: repeatedOutput,
    action: actionOutput,
    changed: changedOutput('The fields that were not as the step says; empty where the segment was created.'),
  },
}
