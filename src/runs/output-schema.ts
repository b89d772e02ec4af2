import type { JsonSchema } from '../core/json-schema.ts'
import { isBlock, type Step, type StepOrBlock } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'

type StepTypes = ReadonlyMap<string, Pick<StepType, 'output'>>

/**
 * The schema of `steps.ID.outputs`. With a forEach, the outputs are a list; in an earlier document they may have had
 * another form.
 */
export function outputSchema(step: StepOrBlock, stepTypes: StepTypes): JsonSchema {
  if (!isBlock(step)) {
    const one = executionSchema(step, stepTypes)
    return step.forEach ? { ...one, items: one } : one
  }
  const steps = Object.fromEntries(step.steps.map((inner) => [inner.id, executionSchema(inner, stepTypes)]))
  return { items: { properties: { steps: { properties: steps } } } }
}

/** The schema of the outputs of one execution of a step. */
export function executionSchema({ uses }: Pick<Step, 'uses'>, stepTypes: StepTypes): JsonSchema {
  return stepTypes.get(uses)?.output ?? {}
}
