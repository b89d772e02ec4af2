import { isNotFound } from '../adapter/api-error.ts'
import type { OperationId } from '../contract/operations.ts'
import type { StepContext } from '../core/engine.ts'
import type { JsonObject } from '../core/json.ts'
import { mark } from './mark.ts'
import type { StepServices } from './runnable-step-type.ts'

/** Deletes something; to find it gone is a success only where this very step may have deleted it before. */
export async function sendDelete(
  operation: OperationId,
  input: JsonObject,
  context: StepContext,
  { api }: StepServices,
): Promise<JsonObject> {
  const { isFresh } = await mark(context, 'intent', async () => ({ operation, input }))
  return context.once('answer', async (signal) => {
    try {
      await api.untyped.call(operation, input, { signal })
    } catch (error) {
      if (isFresh || !isNotFound(error)) throw error
    }
    return {}
  })
}
