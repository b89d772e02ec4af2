import type { JsonSchema } from '../core/json-schema.ts'
import { mapValues } from '../core/map-values.ts'
import { FIELD_TYPES, ITEM_TYPES } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { documentSchema } from './document-schema.ts'
import { WHOLE_EXPRESSION } from './schema-parts.ts'

/**
 * The JSON Schema of pipeline documents for editors: the envelope, and the `with` of each step type, where an
 * expression may replace any value. It is draft 7, because the YAML language server supports that best. It checks less
 * than `loadPipeline`: neither rules between fields nor the content of expressions.
 */
export function pipelineSchema(stepTypes: ReadonlyMap<string, StepType>): JsonSchema {
  const types = [...stepTypes.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const { properties } = documentSchema
  const steps = (section: JsonSchema): JsonSchema => ({ ...section, items: { $ref: '#/definitions/step' } })
  return {
    ...documentSchema,
    $schema: 'http://json-schema.org/draft-07/schema#',
    description: 'A pipeline: a workflow of steps on audience data, started by hand, by the clock or by files.',
    properties: {
      ...properties,
      inputs: { ...properties.inputs, additionalProperties: inputSchema(properties.inputs.additionalProperties) },
      steps: steps(properties.steps),
      onFailure: steps(properties.onFailure),
      finally: steps(properties.finally),
    },
    definitions: {
      expression: EXPRESSION,
      step: stepSchema(properties.steps.items, types),
    },
  }
}

/** Editors complete the values of an enum, but not the values of a pattern. */
function inputSchema(input: JsonSchema): JsonSchema {
  const { pattern: _, additionalProperties, ...items } = input.properties?.items ?? {}
  const { pattern: __, ...field } = additionalProperties as JsonSchema
  const fields = { anyOf: [{ enum: FIELD_TYPES }, { ...field, type: 'object' }] }
  const list = { anyOf: [{ enum: ITEM_TYPES }, { ...items, type: 'object', additionalProperties: fields }] }
  return { ...input, properties: { ...input.properties, items: { description: items.description ?? '', ...list } } }
}

/**
 * This schema has no description, because an editor would show it instead of the description of the value that the
 * expression replaces.
 */
const EXPRESSION = {
  type: 'string',
  pattern: '\\$\\{\\{',
}

const WHOLE = '^\\s*\\$\\{\\{[\\s\\S]*\\}\\}\\s*$'

function stepSchema(step: JsonSchema, types: readonly StepType[]): JsonSchema {
  const { properties = {} } = step
  return {
    ...step,
    properties: {
      ...mapValues(properties, conditionsAsExpressions),
      uses: withoutUndefined({
        description: properties.uses?.description,
        enum: types.map(({ name }) => name),
        // Editors show this; validators ignore it.
        enumDescriptions: types.map(hoverText),
        markdownEnumDescriptions: types.map(hoverText),
      }),
    },
    allOf: types.map((type) => ({
      if: { required: ['uses'], properties: { uses: { const: type.name } } },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
      then: withoutUndefined({
        properties: { with: withSchema(type) },
        required: type.input.required?.length ? ['with'] : undefined,
      }),
    })),
  }
}

function hoverText({ summary, description }: StepType): string {
  return description ? `${summary} ${description}` : summary
}

function withSchema(type: StepType): JsonSchema {
  const { required = [] } = type.input
  return withoutUndefined({
    title: type.name,
    type: 'object',
    description: hoverText(type),
    required: required.length > 0 ? required : undefined,
    properties: mapValues(type.input.properties, orExpression),
    additionalProperties: false,
  })
}

/**
 * Requires an expression at each position that takes one whole expression. Such a position is marked at the end of its
 * description.
 */
function conditionsAsExpressions(schema: JsonSchema): JsonSchema {
  if (schema.description?.endsWith(WHOLE_EXPRESSION)) return { ...schema, pattern: WHOLE }
  return withoutUndefined({
    ...schema,
    properties: schema.properties && mapValues(schema.properties, conditionsAsExpressions),
    items: schema.items && conditionsAsExpressions(schema.items),
  })
}

/** A value that a schema describes, or an expression for it. */
function orExpression(schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema
  const described = description === undefined ? {} : { description }
  const plain = plainSchema(rest)
  if (Object.keys(plain).length === 0) return described
  return { ...described, anyOf: [plain, { $ref: '#/definitions/expression' }] }
}

/** A literal value that a schema describes. Replaces our own formats with what a document may have there. */
function plainSchema(schema: JsonSchema): JsonSchema {
  const { format, items, properties, ...rest } = schema
  // In a document, a 64-bit id is a number or its digits in quotes.
  if (format === 'int64') return { type: ['integer', 'string'], minimum: 0, pattern: '^[0-9]+$' }
  return withoutUndefined({
    ...rest,
    format: format === 'date-time' ? format : undefined,
    items: items && orExpression(items),
    properties: properties && mapValues(properties, orExpression),
  })
}
