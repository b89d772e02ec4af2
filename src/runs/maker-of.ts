import type { MadeFile } from '../core/engine.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import { isBlock, type Step, type StepOrBlock, sectionEntries, withoutBlocks } from '../core/pipeline.ts'
import { stepKey } from '../core/run.ts'
import { expandInRun } from './expand.ts'
import { settledOf } from './failures.ts'
import { type Item, isLooping, loopItems, stepRefOf } from './item.ts'
import { outputsOfItem } from './item-result.ts'
import type { RunFacts } from './run-facts.ts'
import { stepInput } from './step-input.ts'

/**
 * The execution of a step of this type whose output `file` is this path, with its input at that time; undefined if the
 * run has no such execution. A rerun may have kept it.
 */
export function makerOf(facts: RunFacts, uses: string, file: string): MadeFile | undefined {
  for (const entry of sectionEntries(facts.pipeline)) {
    for (const step of withoutBlocks([entry])) {
      if (step.uses !== uses) continue
      for (const item of itemsWith(facts, entry)) {
        const outputs = outputsOf(facts, { entry, step, item })
        if (!isJsonObject(outputs) || outputs.file !== file) continue
        const input = stepInput(facts, { step, item })
        return { stepKey: stepKey(stepRefOf(step, item)), input, outputs }
      }
    }
  }
  return undefined
}

/** The items of a forEach, even if a rerun kept it as a whole. Anything else has one entry without an item. */
function itemsWith(facts: RunFacts, entry: StepOrBlock): readonly (Item | undefined)[] {
  if (!isLooping(entry)) return [undefined]
  const known = facts.state.steps.get(entry.id)
  return loopItems(entry, !known?.settled || known.items ? (known ?? {}) : expandInRun(facts, entry))
}

function outputsOf(
  { state }: RunFacts,
  { entry, step, item }: { entry: StepOrBlock; step: Step; item: Item | undefined },
): Json | undefined {
  const own = settledOf(step, state, item)?.outputs
  if (own !== undefined || !item) return own
  if (isBlock(entry)) {
    const ofItem = outputsOfItem(entry, state, item)[step.id]
    if (ofItem !== undefined) return ofItem
  }
  // A forEach that was kept as a whole has the results of its items in a list.
  const all = settledOf(entry, state)?.outputs
  const result = Array.isArray(all) ? (all[item.index] as Json) : undefined
  if (!isBlock(entry)) return result
  const { steps } = isJsonObject(result) ? result : {}
  return isJsonObject(steps) ? steps[step.id] : undefined
}
