import type { InputOf, OperationId } from '../../contract/operations.ts'
import { validateInput } from '../../contract/validate-input.ts'
import { fromWire } from '../../contract/wire.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import type { JsonSchema } from '../../core/json-schema.ts'
import { propertyOf, type SchemaViolation } from '../../core/validation.ts'
import type { Endpoint } from '../../http/operation.ts'
import { invalidInput, type ProblemItem, Refusal } from '../api-error.ts'

/** The parts of an operation's input that could be read, and the problems with all other parts. */
export interface DecodedInput {
  readonly input: Record<string, Json>
  readonly items: ProblemItem[]
}

interface DecodeOptions {
  /** Reject fields and parameters that the operation does not name, instead of ignoring them (decision 13). */
  strict: boolean
  /** Keep null in a body. By default, a null field counts as absent unless null has a meaning there (decision 15). */
  keepNull?: boolean
}

/** Reads the path and the query. An integer has only digits, and each name occurs at most once (decision 131). */
export function decodeParameters(
  { parameters }: Endpoint,
  sent: { path: Readonly<Record<string, string>>; query: ReadonlyMap<string, readonly string[]> },
  { strict }: DecodeOptions,
): DecodedInput {
  const decoded: DecodedInput = { input: {}, items: [] }
  for (const { name, schema, place } of parameters) {
    const values = place === 'path' ? undefined : sent.query.get(name)
    if (place === 'query' && !values) continue
    const [text = ''] = values ?? [sent.path[name]]
    const value = values && values.length > 1 ? { problem: 'must be given exactly once' } : decodeText(schema, text)
    if (typeof value === 'object') decoded.items.push({ parameter: name, message: value.problem })
    else decoded.input[name] = value
  }
  for (const name of strict ? sent.query.keys() : []) {
    const isKnown = parameters.some((field) => field.place === 'query' && field.name === name)
    if (!isKnown) decoded.items.push({ parameter: name, message: NOT_KNOWN })
  }
  return decoded
}

/** Reads a JSON body into `decoded`. An absent body counts as empty. The schema reports wrong types later. */
export function decodeJsonBody(
  { bodyFields }: Endpoint,
  body: Json | undefined,
  decoded: DecodedInput,
  { strict, keepNull = false }: DecodeOptions,
): void {
  if (body === undefined) return
  if (!isJsonObject(body)) throw new Refusal('invalid-request', 'the body must be a JSON object')
  for (const [name, sent] of Object.entries(body)) {
    const field = bodyFields.get(name)
    if (!field) {
      if (strict) decoded.items.push({ pointer: `/${name}`, message: NOT_KNOWN })
    } else if (sent === undefined || (sent === null && !keepNull && !field.isRequired && !allowsNull(field.schema))) {
      // Such a field means the same as an absent field.
    } else if (field.schema.format === 'int64' && typeof sent !== 'number' && typeof sent !== 'bigint') {
      decoded.items.push({ pointer: `/${name}`, message: 'must be an integer' })
    } else {
      decoded.input[name] = plainNumber(fromWire(field.schema, sent))
    }
  }
}

const NOT_KNOWN = 'is not known here'

function allowsNull({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null')
}

/** Reads a value of the path or the query as its schema says, or says why it does not fit. */
function decodeText(schema: JsonSchema, text: string): string | number | boolean | { problem: string } {
  if (schema.type === 'integer') return /^\d+$/.test(text) ? Number(text) : { problem: 'must be an integer' }
  if (schema.type === 'boolean') {
    return text === 'true' || text === 'false' ? text === 'true' : { problem: 'must be true or false' }
  }
  return schema.format === 'int64' && /^\d+$/.test(text) ? BigInt(text).toString() : text
}

/** Only ids keep all their digits. Any other number beyond 2^53 is rounded to a double. */
function plainNumber(value: Json): Json {
  return typeof value === 'bigint' ? Number(value) : value
}

/**
 * Checks the input of a request, and returns it in the form that handlers take. Throws a 400 that lists every problem.
 */
export function checkInput<Id extends OperationId>(
  endpoint: Endpoint<Id>,
  { input, items }: DecodedInput,
): InputOf<Id> {
  if (items.length > 0) throw invalidInput(items)
  const violations = validateInput(endpoint.id, input)
  // The input fits the schema that the type is derived from.
  if (violations.length === 0) return input as object as InputOf<Id>
  throw invalidInput(violations.map((violation) => problemItem(violation, endpoint)))
}

/** Converts a violation to a problem with a location that the caller knows: a pointer into the body, or a parameter. */
export function problemItem(violation: SchemaViolation, { bodyFields }: Endpoint): ProblemItem {
  const missing = propertyOf(violation)
  const pointer = missing === undefined ? violation.pointer : `${violation.pointer}/${missing}`
  const name = pointer.split('/')[1]
  const { message } = violation
  return name === undefined || bodyFields.has(name) ? { pointer, message } : { parameter: name, message }
}
