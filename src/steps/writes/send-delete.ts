import { ApiError, isNotFound, isRefusal } from '../../adapter/api-error.ts'
import { isGone } from '../../adapter/look-after.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { JsonObject } from '../../core/json.ts'
import type { StepRun } from '../define-step.ts'
import { recordOnce } from './record-once.ts'

/**
 * Deletes a resource. A refusal counts as success only if this step may have deleted the resource before, or accepts
 * that it is missing, and only if a read does not find it either. The read is needed because a refusal need not say why
 * (decision 144), or even come from the service. `name` prefixes the names of its records.
 */
export async function sendDelete(
  operation: OperationId,
  wanted: JsonObject,
  { context, services: { api } }: Pick<StepRun, 'context' | 'services'>,
  { name = '', mayBeGone = false }: { name?: string; mayBeGone?: boolean } = {},
): Promise<JsonObject> {
  const { isFresh, value: intent } = await recordOnce(context, `${name}intent`, async () => ({
    operation,
    input: wanted,
  }))
  return context.once(`${name}answer`, async (signal) => {
    try {
      await api.untyped.call(operation, intent.input, { signal })
    } catch (error) {
      const saysGone = isNotFound(error) || isRefusal(error)
      // A refusal does not undo what an earlier request may have done.
      const isRefused = saysGone || (error instanceof ApiError && error.request.outcome === 'rejected')
      const mayBeDone = isFresh ? mayBeGone && saysGone : isRefused
      if (!mayBeDone || !(await isGone(operation, intent.input, api.untyped, { signal }))) throw error
    }
    return {}
  })
}
