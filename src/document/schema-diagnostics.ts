import type { Diagnostic } from '../core/diagnostic.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { propertyOf, type SchemaViolation } from '../core/validation.ts'
import type { YamlText } from './read-yaml.ts'

/** What a schema says against a document, as diagnostics with their places and the likely intention. */
export function schemaDiagnostics(
  yaml: YamlText,
  schema: JsonSchema,
  violations: readonly SchemaViolation[],
): Diagnostic[] {
  return violations.map((violation) => {
    const { pointer, keyword, message } = violation
    const property = propertyOf(violation)
    const name = pointer.slice(pointer.lastIndexOf('/') + 1)
    if (keyword === 'additionalProperties' && property !== undefined) {
      const hint = didYouMean(property, Object.keys(schemaAt(schema, pointer)?.properties ?? {}))
      return {
        severity: 'error',
        code: 'unknown-key',
        message: `unknown key "${property}"`,
        ...(hint !== undefined && { hint }),
        at: yaml.positionOfKey(pointer, property),
      }
    }
    return {
      severity: 'error',
      code: keyword === 'required' ? 'missing-key' : 'invalid-value',
      message: keyword === 'required' || name === '' ? message : `${name} ${message}`,
      at: yaml.positionOf(pointer),
    }
  })
}

/** The part of a schema that a JSON pointer into a value leads to. */
function schemaAt(schema: JsonSchema, pointer: string): JsonSchema | undefined {
  let here: JsonSchema | undefined = schema
  for (const token of pointer.split('/').slice(1)) {
    const additional: JsonSchema['additionalProperties'] = here?.additionalProperties
    here = here?.properties?.[token] ?? here?.items ?? (typeof additional === 'object' ? additional : undefined)
  }
  return here
}
