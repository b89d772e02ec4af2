import type { Json } from '../core/json.ts'
import type { ForEach, StepOrBlock } from '../core/pipeline.ts'
import type { StepRef } from '../core/run.ts'

/** A step or block with a forEach. */
export type Looping = StepOrBlock & { readonly forEach: ForEach }

export function isLooping(step: StepOrBlock): step is Looping {
  return step.forEach !== undefined
}

/** An item of a forEach. A step execution belongs either to an item or to the whole run. */
export interface Item {
  readonly of: Looping
  readonly index: number
  readonly key?: string
  readonly value: Json
}

/**
 * The execution of a step in an item, or in the whole run. The execution of a forEach in an item is the item itself.
 */
export function stepRefOf({ id }: { id: string }, item?: Item): StepRef {
  if (!item) return { step: id }
  const { of, index, key } = item
  return { step: id, index, key, block: of.id === id ? undefined : of.id }
}

/** The id for step memory: the id of the step, with the key of the item if it has one. */
export function memoryId({ step, key }: StepRef): string {
  return key === undefined ? step : `${step}[${key}]`
}

/** For an execution, the id of its entry in the document. */
export function entryOf({ step, block }: StepRef): string {
  return block ?? step
}

/** The whole item that a step of a block belongs to. */
export function itemRef({ step, block = step, index, key }: StepRef): StepRef {
  return { step: block, index, key }
}

/** The items of a forEach that has begun. */
export function loopItems(
  of: Looping,
  { items = [], keys }: { items?: readonly Json[]; keys?: readonly string[] },
): readonly Item[] {
  return items.map((_, index) => itemAt(of, { items, keys }, index))
}

export function itemAt(
  of: Looping,
  { items, keys }: { items: readonly Json[]; keys?: readonly string[] | undefined },
  index: number,
): Item {
  const key = keys?.[index]
  return { of, index, value: items[index] ?? null, key }
}
