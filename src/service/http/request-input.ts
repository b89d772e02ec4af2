import type { InputOf, OperationId } from '../../contract/operations.ts'
import { validateInput } from '../../contract/validate-input.ts'
import { fromWire } from '../../contract/wire.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import type { JsonSchema } from '../../core/json-schema.ts'
import { propertyOf, type SchemaViolation } from '../../core/validation.ts'
import type { Endpoint } from '../../http/operation.ts'
import { invalidInput, type ProblemItem, Refusal } from '../api-error.ts'

/** The parts of an operation's input that could be read from the wire, and the problems with the others. */
export interface DecodedInput {
  readonly input: Record<string, Json>
  readonly items: ProblemItem[]
}

interface DecodeOptions {
  /** Reject fields and parameters that the operation does not name, instead of ignoring them (decision 13). */
  readonly strict: boolean
  /** In a body, null is a value; otherwise it is an absent field, unless it has a meaning there (decision 15). */
  readonly keepNull?: boolean
}

/** Reads path and query: an integer is plain digits, and everything occurs at most once (decision 131). */
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
    const value = values && values.length > 1 ? { problem: 'must be there once' } : decodeText(schema, text)
    if (typeof value === 'object') decoded.items.push({ parameter: name, message: value.problem })
    else decoded.input[name] = value
  }
  for (const name of strict ? sent.query.keys() : []) {
    const isKnown = parameters.some((field) => field.place === 'query' && field.name === name)
    if (!isKnown) decoded.items.push({ parameter: name, message: NOT_KNOWN })
  }
  return decoded
}

/** Reads a JSON body into `decoded`; an absent body counts as empty. The schema reports wrong types. */
export function decodeBody(
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
      // The same as an absent field.
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

/** A value of the path or the query in the form of its schema, or why it does not fit. */
function decodeText(schema: JsonSchema, text: string): string | number | boolean | { problem: string } {
  if (schema.type === 'integer') return /^\d+$/.test(text) ? Number(text) : { problem: 'must be an integer' }
  if (schema.type === 'boolean') {
    return text === 'true' || text === 'false' ? text === 'true' : { problem: 'must be true or false' }
  }
  return schema.format === 'int64' && /^\d+$/.test(text) ? BigInt(text).toString() : text
}

/** Only ids are exact; any other number beyond 2^53 is rounded to a double. */
function plainNumber(value: Json): Json {
  return typeof value === 'bigint' ? Number(value) : value
}

/** The input of a request, in the form that handlers take. Throws a 400 that lists every problem. */
export function checkInput<Id extends OperationId>(
  endpoint: Endpoint<Id>,
  { input, items }: DecodedInput,
): InputOf<Id> {
  if (items.length > 0) throw invalidInput(items)
  if (fits(endpoint.id, input)) return input
  throw invalidInput(validateInput(endpoint.id, input).map((violation) => problemItem(violation, endpoint)))
}

function fits<Id extends OperationId>(id: Id, input: unknown): input is InputOf<Id> {
  return validateInput(id, input).length === 0
}

/** The place of a violation in the caller's terms: a pointer into the body, or a parameter. */
export function problemItem(violation: SchemaViolation, { bodyFields }: Endpoint): ProblemItem {
  const missing = propertyOf(violation)
  const pointer = missing === undefined ? violation.pointer : `${violation.pointer}/${missing}`
  const name = pointer.split('/')[1]
  const { message } = violation
  return name === undefined || bodyFields.has(name) ? { pointer, message } : { parameter: name, message }
}
