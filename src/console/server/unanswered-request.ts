import { planOf } from '../../adapter/request-plan.ts'
import { isOperationId } from '../../contract/operations.ts'
import { INTENT } from '../../core/engine.ts'
import { isoTime } from '../../core/iso-time.ts'
import { isJsonObject } from '../../core/json.ts'
import { type StepRef, type StoredRecord, stepKey } from '../../core/run.ts'
import { maskInIds } from '../../policy/personal-data.ts'
import type { Answer } from '../api/api-operation.ts'
import type { request } from '../api/run-schemas.ts'

type Request = Answer<typeof request>

/** The beginning is enough for a decision; the rest would only fill the dialog. */
const MOST_CHARACTERS = 8000

/**
 * The request that a step announced last, as it went to the service: for a person who decides whether it arrived. Personal
 * data are masked; ids stay, because one looks for them at the service.
 */
export function unansweredRequest(records: readonly StoredRecord[], step: StepRef): Request | undefined {
  const key = stepKey(step)
  const announced = records.findLast(
    ({ record }) => record.type === 'effect.done' && record.name.endsWith(INTENT) && stepKey(record) === key,
  )
  if (announced?.record.type !== 'effect.done') return undefined
  const { value } = announced.record
  if (!isJsonObject(value) || !isJsonObject(value.input)) return undefined
  const { operation: id, input } = value
  if (typeof id !== 'string' || !isOperationId(id)) return undefined
  const { operation, path, query, body } = planOf(id)
  const text = body(input)
  return {
    ...{ operation: id, at: isoTime(announced.at), method: operation.method },
    path: maskInIds(path(input) + query(input)),
    body: text === undefined ? undefined : maskInIds(text).slice(0, MOST_CHARACTERS),
  }
}
