import { didYouMean } from '../core/did-you-mean.ts'
import { usageError } from '../core/errors.ts'
import { isBlock, type Pipeline, type StepOrBlock } from '../core/pipeline.ts'
import { type StepRef, stepKey } from '../core/run.ts'
import { entryOf, isLooping, itemRef, loopItems, stepRefOf } from './item.ts'
import { stepsOfItem } from './item-result.ts'
import type { RunState } from './run-state.ts'

/** Whether a rerun repeats an execution. An item or a forEach is repeated if a part of it is. */
export type DoneAgain = (ref: StepRef) => boolean

/**
 * The executions that a rerun repeats because a person said where to begin: that execution, and everything that needs
 * it, directly or through others. Throws an AudienceError of the kind `usage` if the pipeline has no such step, or if
 * the earlier run has no such item.
 */
export function doneAgain(pipeline: Pipeline, earlier: RunState, from: string | undefined): DoneAgain {
  if (from === undefined) return () => false
  const first = executionNamed(from, pipeline, earlier)
  const entry = pipeline.steps.find(({ id }) => id === entryOf(first))
  const entries = withDependents(entryOf(first), pipeline.steps)
  const isWhole = first.step === entry?.id && first.index === undefined
  if (!entry || isWhole) return (ref) => entries.has(entryOf(ref))
  const inside = isBlock(entry) && first.block !== undefined ? withDependents(first.step, entry.steps) : undefined
  const item = first.index === undefined ? undefined : stepKey(itemRef(first))
  return (ref) => {
    if (entryOf(ref) !== entry.id) return entries.has(entryOf(ref))
    if (ref.index === undefined) return true
    if (item !== undefined && stepKey(itemRef(ref)) !== item) return false
    return ref.block === undefined || inside === undefined || inside.has(ref.step)
  }
}

/** The execution that a person named: a step by its id (in a block: in every item), an item, or a step of an item. */
function executionNamed(text: string, pipeline: Pipeline, { steps }: RunState): StepRef {
  const inItems = pipeline.steps
    .filter(isLooping)
    .flatMap((step) =>
      loopItems(step, steps.get(step.id) ?? {}).flatMap((item) => [stepRefOf(step, item), ...stepsOfItem(item)]),
    )
  const known = text.includes('[') ? inItems : idsOf(pipeline.steps)
  const found = known.find((ref) => stepKey(ref) === text)
  if (found) return found
  const hint = didYouMean(text, known.map(stepKey))
  throw usageError(
    'unknown-step',
    text.includes('[') ? `the run has no "${text}" to begin at` : `pipeline ${pipeline.name} has no step "${text}"`,
    hint,
  )
}

function idsOf(steps: readonly StepOrBlock[]): readonly StepRef[] {
  return steps.flatMap((step) => [
    { step: step.id },
    ...(isBlock(step) ? step.steps.map(({ id }) => ({ step: id, block: step.id })) : []),
  ])
}

/** A step and all steps that need it. */
function withDependents(id: string, steps: readonly StepOrBlock[]): ReadonlySet<string> {
  const again = new Set([id])
  // In the document, a step may precede a step that it needs, so repeat until nothing is added.
  for (let size = -1; size !== again.size; ) {
    size = again.size
    for (const { id: other, needs } of steps) if (needs.some((need) => again.has(need))) again.add(other)
  }
  return again
}
