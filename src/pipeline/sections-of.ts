import { isBlock, type Pipeline, type Step, type StepOrBlock } from '../core/pipeline.ts'
import { schemaOfType, type Type } from '../expressions/types.ts'
import type { AnyDraft, StepSection } from './read-steps.ts'
import type { StepGraph } from './step-graph.ts'

/** The steps of each section, with what they need and the types of their items. */
export function sectionsOf(
  drafts: readonly AnyDraft[],
  graph: StepGraph,
  itemTypes: ReadonlyMap<AnyDraft, Type>,
): Pick<Pipeline, StepSection> {
  const withNeeds = (chosen: (draft: AnyDraft) => boolean): StepOrBlock[] =>
    drafts.filter(chosen).map((draft) => {
      const step = { ...withItemSchema(draft.step, itemTypes.get(draft)), needs: graph.needs.get(draft.step.id) ?? [] }
      return isBlock(step) ? { ...step, steps: withNeeds(({ block }) => block === draft) as Step[] } : step
    })
  const sectionOf = (wanted: StepSection) => withNeeds(({ section, block }) => section === wanted && !block)
  return { steps: sectionOf('steps'), onFailure: sectionOf('onFailure'), finally: sectionOf('finally') }
}

function withItemSchema<S extends StepOrBlock>(step: S, item: Type | undefined): S {
  if (!step.forEach || !item || item.kind === 'dyn') return step
  return { ...step, forEach: { ...step.forEach, itemSchema: schemaOfType(item) } }
}
