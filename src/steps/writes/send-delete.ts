import { ApiError, isNotFound, isRefusal } from '../../adapter/api-error.ts'
import { isOperationId, type OperationId } from '../../contract/operations.ts'
import type { JsonObject } from '../../core/json.ts'
import type { StepRun } from '../define-step.ts'
import { mark } from './fingerprint.ts'

/**
 * Deletes something. Not finding it counts as success only if this very step may have deleted it before, or if the step
 * allows it. `name` prefixes the names of its records.
 */
export async function sendDelete(
  operation: OperationId,
  wanted: JsonObject,
  { context, services: { api } }: Pick<StepRun, 'context' | 'services'>,
  { name = '', mayBeGone = false }: { readonly name?: string; readonly mayBeGone?: boolean } = {},
): Promise<JsonObject> {
  const intent = await mark(context, `${name}intent`, async () => ({ operation, input: wanted }))
  const { isFresh } = intent
  const { input } = intent.value
  return context.once(`${name}answer`, async (signal) => {
    try {
      await api.untyped.call(operation, input, { signal })
    } catch (error) {
      const mayBeDone = mayBeGone || !isFresh || (error instanceof ApiError && error.request.outcome === 'unknown')
      if (!mayBeDone || !(isNotFound(error) || (await isRefusedAndGone(error)))) throw error
    }
    return {}

    /** A 400 need not say why: the resource may be gone, or not (decision 144). */
    async function isRefusedAndGone(error: unknown): Promise<boolean> {
      const read = operation.replace('.delete', '.get')
      if (!isRefusal(error) || !isOperationId(read)) return false
      return api.untyped.call(read, input, { signal }).then(() => false, isNotFound)
    }
  })
}
