import type { StepContext } from '../core/engine.ts'
import { type JsonObject, stringifyJson } from '../core/json.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import type { StepServices } from './define-step.ts'

/**
 * The step memory key of a step. `identity` separates the items of a forEach. It also separates entries made before a
 * change to the document from entries made after it.
 */
export function memoryKey(
  { pipeline, stepId }: Pick<StepContext, 'pipeline' | 'stepId'>,
  { profile }: Pick<StepServices, 'profile'>,
  identity: string,
): MemoryKey {
  return { profile, pipeline, step: `${stepId} ${identity}` }
}

/** Remembers an entry; writes nothing if the same entry is already there. */
export async function remember({ stepMemory }: StepServices, key: MemoryKey, entry: JsonObject): Promise<void> {
  const known = await stepMemory.get(key)
  if (known === undefined || stringifyJson(known) !== stringifyJson(entry)) await stepMemory.set(key, entry)
}
