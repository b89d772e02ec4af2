import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError } from '../core/errors.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { StepOutputs } from '../core/run.ts'

/**
 * Of the outputs of an earlier run those that a rerun begins with: of steps that the pipeline still has, without `from`
 * and all that needs it, directly or through others. Throws an AudienceError of the kind `usage` for an unknown step.
 */
export function seedOf(pipeline: Pipeline, outputs: StepOutputs, from: string | undefined): StepOutputs {
  const ids = pipeline.steps.map(({ id }) => id)
  if (from !== undefined && !ids.includes(from)) {
    const hint = didYouMean(from, ids)
    throw new AudienceError({
      code: 'unknown-step',
      kind: 'usage',
      message: `pipeline ${pipeline.name} has no step "${from}"`,
      ...(hint !== undefined && { hint }),
    })
  }
  const again = new Set(from === undefined ? [] : [from])
  // In document order a step may stand before one that it needs, so go on until nothing is added.
  for (let size = -1; size !== again.size; ) {
    size = again.size
    for (const { id, needs } of pipeline.steps) if (needs.some((need) => again.has(need))) again.add(id)
  }
  return Object.fromEntries(Object.entries(outputs).filter(([id]) => ids.includes(id) && !again.has(id)))
}
