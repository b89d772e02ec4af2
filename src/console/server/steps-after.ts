import type { StepRef } from '../../core/run.ts'
import type { Answer } from '../api/api-operation.ts'
import type { graphStep } from '../api/run-schemas.ts'

type Graph = readonly Answer<typeof graphStep>[]

/**
 * The steps that begin only after a step: those that need it, and those that need these. After a step inside a forEach
 * come the others of its item, and then what needs the forEach.
 */
export function stepsAfter(graph: Graph, { step, block }: Pick<StepRef, 'step' | 'block'>): string[] {
  const inside =
    block === undefined
      ? []
      : after(
          graph.filter((one) => one.block === block),
          step,
        )
  const outside = after(
    graph.filter((one) => one.block === undefined && one.section === 'steps'),
    block ?? step,
  )
  return [...inside, ...outside]
}

function after(steps: Graph, first: string): string[] {
  const found = new Set([first])
  // A set that grows while it is gone through.
  for (const last of found) for (const { id, needs } of steps) if (needs.includes(last)) found.add(id)
  return steps.map(({ id }) => id).filter((id) => id !== first && found.has(id))
}
