import type { Activation } from '../contract/activations.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { type ActivationRequest, shownDifferences, shownField } from './same-activation.ts'
import { shown } from './shown.ts'

/**
 * Fields of a request that the service cannot change later. The name is not among them, because an activation is found
 * by its name.
 */
const FIELDS = [
  'refreshRate',
  'actionType',
  'campaignName',
  'agency',
  'brand',
  'campaignStartDate',
  'campaignEndDate',
] as const

/** The fields that an activation was created with, if the step gives them. */
export function sentOf(input: ActivationRequest): JsonObject {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (shown(input[field]) === undefined ? [] : [[field, input[field]]])),
  )
}

/**
 * The fields in which an activation differs from what the step wants. Compares the wanted values with the remembered
 * request or, if nothing is remembered, with what the service shows (decision 147).
 */
export function activationDifferences(
  activation: Activation,
  input: ActivationRequest,
  sent: JsonObject | undefined,
): string[] {
  if (!sent || Object.keys(sent).length === 0) return shownDifferences(activation, input)
  return FIELDS.filter((field) => comparable(field, input[field]) !== comparable(field, sent[field]))
}

/** A field of an activation as it was sent; if nothing is remembered, as the service shows it. */
export function activationField(
  activation: Activation | undefined,
  sent: JsonObject | undefined,
  field: string,
): Json | undefined {
  if (!sent || Object.keys(sent).length === 0) return activation && shownField(activation, field)
  return sent[field] ?? null
}

/** "", null and absent count as equal (decision 138), and so do two spellings of the same time. */
function comparable(field: string, value: Json | undefined): unknown {
  const text = shown(value)
  if (typeof text !== 'string' || !field.endsWith('Date')) return text
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : time
}
