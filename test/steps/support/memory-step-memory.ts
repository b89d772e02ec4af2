import { type JsonObject, parseJson, stringifyJson } from '../../../src/core/json.ts'
import type { StepMemory } from '../../../src/state/step-memory.ts'

/** A step memory in memory. It goes through JSON, as a stored one does, and can be lost. */
export function memoryStepMemory(): StepMemory & { lose(): void } {
  const entries = new Map<string, string>()
  const id = (key: object) => JSON.stringify(key)
  return {
    get: async (key) => {
      const text = entries.get(id(key))
      return text === undefined ? undefined : (parseJson(text) as JsonObject)
    },
    set: async (key, entry) => void entries.set(id(key), stringifyJson(entry)),
    lose: () => entries.clear(),
  }
}
