import { didYouMean } from '../core/did-you-mean.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import { mapValues } from '../core/map-values.ts'
import type { Variable } from '../core/pipeline.ts'
import type { Template } from '../core/template.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import {
  commonType,
  DYN,
  type RecordType,
  recordType,
  schemaOfType,
  type Type,
  typeOfSchema,
} from '../expressions/types.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import { isMisnamed } from './read-value.ts'
import { MAX_DECLARATIONS } from './schema-parts.ts'
import type { TemplateReader } from './template-reader.ts'

/** What a run computes when it begins, in the order of the document. */
export interface Variables {
  readonly declared: Readonly<Record<string, Variable>>
  /** The values that expressions read as `variables`; undefined if the document declares none. */
  readonly type: Type | undefined
}

/** Reads `variables`. Each may read the names and the variables above it. */
export function readVariables(
  root: DocumentNode,
  names: Names,
  deps: {
    templates: TemplateReader
    checker: ExpressionChecker
    reporter: DiagnosticCollector
  },
): Variables {
  const { templates, checker, reporter } = deps
  const declared: Record<string, Variable> = {}
  const types: Record<string, Type> = {}
  const entries = entriesOf(childOf(root, 'variables')).slice(0, MAX_DECLARATIONS)
  const all = entries.map(([name]) => name)
  for (const [name, { key, value: node }] of entries) {
    if (isMisnamed(name, 'a variable', key, reporter)) continue
    const value = templates.read(node)
    const schema = schemaOfType(
      typeOfTemplate(value, (computed) =>
        checker.template(computed, { ...names, variables: typeOfVariables({ ...types }, all, name) }),
      ),
    )
    declared[name] = { value, schema }
    types[name] = typeOfSchema(schema, `field of ${name}`)
  }
  return { declared, type: entries.length > 0 ? typeOfVariables(types, all) : undefined }
}

/** `own`: the name of the variable that reads the others. */
function typeOfVariables(fields: Readonly<Record<string, Type>>, all: readonly string[], own?: string): Type {
  const explainMissing: RecordType['explainMissing'] = (name) => {
    if (name === own) return { code: 'unknown-name', message: `variable ${name} reads itself` }
    if (all.includes(name)) {
      const hint = `a variable reads only the variables above it: move ${name} up`
      return { code: 'unknown-name', message: `variable ${name} is not known yet`, hint }
    }
    const hint = didYouMean(name, Object.keys(fields))
    return { code: 'unknown-field', message: `${name} is not a variable`, hint }
  }
  return recordType('variable', fields, { explainMissing })
}

/**
 * The type of a value that a document writes; `typeOfComputed` gives the type of an expression, or of a text with
 * expressions. Literal text has the type string without fixed choices, so that it can be edited.
 */
export function typeOfTemplate(template: Template, typeOfComputed: (computed: Template) => Type): Type {
  switch (template.kind) {
    case 'value':
      return typeOfValue(template.value)
    case 'list':
      return { kind: 'list', items: commonType(template.items.map((item) => typeOfTemplate(item, typeOfComputed))) }
    case 'map':
      return recordOf(template.entries, (entry) => typeOfTemplate(entry, typeOfComputed))
    default:
      return typeOfComputed(template)
  }
}

function typeOfValue(value: Json): Type {
  if (Array.isArray(value)) return { kind: 'list', items: commonType(value.map(typeOfValue)) }
  if (isJsonObject(value)) return recordOf(value, (member) => typeOfValue(member ?? null))
  switch (typeof value) {
    case 'string':
      return { kind: 'string' }
    case 'bigint':
      return { kind: 'int' }
    case 'number':
      return { kind: 'double' }
    case 'boolean':
      return { kind: 'bool' }
    default:
      return DYN
  }
}

function recordOf<T>(members: Readonly<Record<string, T>>, typeOfMember: (member: T) => Type): Type {
  return recordType('field', mapValues(members, typeOfMember))
}
