import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { type Block, isBlock } from '../core/pipeline.ts'
import { type StepRef, stepKey } from '../core/run.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { settledOf } from './failures.ts'
import { type Item, stepRefOf } from './item.ts'
import type { RunState } from './run-state.ts'

/** The executions of a block's steps in an item; none if the forEach has one step. */
export function stepsOfItem(item: Item): readonly StepRef[] {
  return isBlock(item.of) ? item.of.steps.map((step) => stepRefOf(step, item)) : []
}

/** The entry for an item in the outputs of a block. An item that has not begun is `skipped`. */
export function itemResult(block: Block, state: RunState, item: Item): JsonObject {
  const { status = 'skipped', error } = settledOf(block, state, item) ?? {}
  return withoutUndefined({
    key: item.key ?? String(item.index),
    index: item.index,
    status,
    error: error?.message,
    steps: outputsOfItem(block, state, item),
  })
}

/**
 * The outputs of the steps that succeeded in an item, by step. An item that was kept has them all in its own record.
 */
export function outputsOfItem(block: Block, state: RunState, item: Item): JsonObject {
  const { outputs: kept } = settledOf(block, state, item) ?? {}
  if (isJsonObject(kept)) return kept
  const outputs: Record<string, Json> = {}
  for (const { id } of block.steps) {
    const known = state.steps.get(stepKey(stepRefOf({ id }, item)))?.settled?.outputs
    if (known !== undefined) outputs[id] = known
  }
  return outputs
}
