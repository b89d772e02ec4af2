import { DURATION_PATTERN } from './duration.ts'
import type { JsonSchema } from './json-schema.ts'
import { SIZE_PATTERN } from './size.ts'

/** One way in which a value does not fit its schema. */
export interface SchemaViolation {
  /** JSON pointer to the value, "" for the whole. For a missing property: the pointer to the object that lacks it. */
  readonly pointer: string
  /** The JSON Schema keyword that was not met, such as `required` or `maxLength`; `rule` for a rule between fields. */
  readonly keyword: string
  /** A sentence without the value's name: `must be at most 100 characters long`. */
  readonly message: string
  /** What the keyword required, such as `{ missingProperty: 'segmentName' }`. */
  readonly params: Readonly<Record<string, unknown>>
  /** Set if another service may lack this rule. The client then only warns (decision 41). */
  readonly isAdvice?: boolean
}

/** A validator that ajv compiled at build time (see src/generate/validators.ts). */
export interface CompiledValidator {
  (value: unknown): boolean
  errors?: readonly CompiledError[] | null
}

interface CompiledError {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}

/** A rule between fields: a schema under `allOf` whose `description` is the error text. */
interface Rule {
  readonly description?: string
  readonly 'x-client'?: unknown
}

/**
 * All violations of a value, each rule at most once and with its own text. The rules are those of the compiled schema's
 * `allOf`, in order. If the schema is given, the message for a 64-bit id of the wrong type names its JSON type
 * (decision 148).
 */
export function violationsOf(
  validate: CompiledValidator,
  value: unknown,
  rules: readonly Rule[] = [],
  schema?: JsonSchema,
): SchemaViolation[] {
  if (validate(value)) return []
  const violations: SchemaViolation[] = []
  const brokenRules = new Set<number>()
  for (const error of validate.errors ?? []) {
    const rule = /^#\/allOf\/(\d+)\//.exec(error.schemaPath)
    if (rule) brokenRules.add(Number(rule[1]))
    // The error in the branch of an `if` has already been reported.
    else if (error.keyword !== 'if')
      violations.push({
        pointer: error.instancePath,
        keyword: error.keyword,
        message: isOfInt64(error, schema) ? 'must be an integer' : sentence(error),
        params: error.params,
      })
  }
  for (const index of brokenRules) {
    const { description: message = 'breaks a rule', 'x-client': client } = rules[index] ?? {}
    violations.push({ pointer: '', keyword: 'rule', message, params: {}, isAdvice: client === 'warns' })
  }
  return violations
}

/** The violation of `required` or `additionalProperties` points at the object; this is the property it is about. */
export function propertyOf(violation: SchemaViolation): string | undefined {
  const { missingProperty, additionalProperty } = violation.params
  const name = missingProperty ?? additionalProperty
  return typeof name === 'string' ? name : undefined
}

/** Whether the value should have been a 64-bit id, which is a string in memory only. */
function isOfInt64({ keyword, schemaPath }: CompiledError, schema: JsonSchema | undefined): boolean {
  if (keyword !== 'type') return false
  const names = schemaPath.split('/').slice(1, -1)
  let place: unknown = schema
  for (const name of names) place = isObject(place) ? place[name] : undefined
  return isObject(place) && place.format === 'int64'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function sentence({ keyword, params, message }: CompiledError): string {
  return SENTENCES[keyword]?.(params) ?? message ?? `does not fit (${keyword})`
}

const SENTENCES: Readonly<Record<string, (params: SchemaViolation['params']) => string>> = {
  required: ({ missingProperty }) => `${missingProperty} is required`,
  additionalProperties: ({ additionalProperty }) => `${additionalProperty} is not known here`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  type: ({ type }) => `must be ${typeNames(type)}`,
  maxLength: ({ limit }) => `must be at most ${limit} characters long`,
  minLength: ({ limit }) => notEmpty(limit) ?? `must be at least ${limit} characters long`,
  minProperties: ({ limit }) => notEmpty(limit) ?? `must have at least ${limit} keys`,
  minItems: ({ limit }) => notEmpty(limit) ?? `must have at least ${limit} items`,
  maxProperties: ({ limit }) => `must have at most ${limit} keys`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  uniqueItems: () => 'has the same item twice',
  pattern: ({ pattern }) => PATTERN_SENTENCES[String(pattern)] ?? `must match ${pattern}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  format: ({ format }) => FORMAT_SENTENCES[String(format)] ?? `must be a ${format}`,
}

function notEmpty(limit: unknown): string | undefined {
  return limit === 1 ? 'must not be empty' : undefined
}

const PATTERN_SENTENCES: Readonly<Record<string, string>> = {
  '\\S': 'must not be blank',
  '^https?://': 'must begin with http:// or https://',
  [DURATION_PATTERN]: 'must be a duration such as 500ms, 30s, 15m, 2h or 7d',
  [SIZE_PATTERN]: 'must be a size such as 512MB, 10GB or 1TB',
}

const FORMAT_SENTENCES: Readonly<Record<string, string>> = {
  int64: 'must be an integer from 0 to 9223372036854775807',
  'date-time': 'must be a date and time with an offset, such as 2026-01-31T08:00:00Z',
}

function typeNames(type: unknown): string {
  const names = Array.isArray(type) ? type : String(type).split(',')
  return names
    .map((name: string) => (/^[aeio]/.test(name) ? `an ${name}` : name === 'null' ? name : `a ${name}`))
    .join(' or ')
}
