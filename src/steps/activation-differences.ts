import type { Activation } from '../contract/activations.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { ActivationsEnsureInput } from './activations-ensure-schema.ts'
import { shownDifferences } from './same-activation.ts'
import { shown } from './shown.ts'

/** What a request says that the service cannot change afterwards; the name is what an activation is found by. */
const FIELDS = [
  'refreshRate',
  'actionType',
  'campaignName',
  'agency',
  'brand',
  'campaignStartDate',
  'campaignEndDate',
] as const

/** What an activation was made with, as far as a step says it. */
export function sentOf(input: ActivationsEnsureInput): JsonObject {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (shown(input[field]) === undefined ? [] : [[field, input[field]]])),
  )
}

/**
 * The fields in which an activation is not as a step wants it: what is remembered that was sent, and what the service
 * shows where nothing is remembered (decision 147).
 */
export function activationDifferences(
  activation: Activation,
  input: ActivationsEnsureInput,
  sent: JsonObject | undefined,
): string[] {
  if (!sent || Object.keys(sent).length === 0) return shownDifferences(activation, input)
  return FIELDS.filter((field) => comparable(field, input[field]) !== comparable(field, sent[field]))
}

/** "", null and absent are one (decision 138), and so are two ways to write a time. */
function comparable(field: string, value: Json | undefined): unknown {
  const text = shown(value)
  if (typeof text !== 'string' || !field.endsWith('Date')) return text
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : time
}
