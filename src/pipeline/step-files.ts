import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { Template } from '../core/pipeline.ts'
import type { DocumentNode } from '../document/document-node.ts'

/** The places of a step's input that name files, by the schema of that input. */
export function stepFileNodes(schema: JsonSchema | undefined, node: DocumentNode | undefined): DocumentNode[] {
  if (!schema || !node) return []
  if (node.kind === 'list') return node.items.flatMap((item) => stepFileNodes(schema.items ?? schema, item))
  if (node.kind === 'map')
    return [...node.entries].flatMap(([name, { value }]) => stepFileNodes(memberOf(schema, name), value))
  return schema.format === 'file' ? [node] : []
}

/** The files that a step's input names without expressions. */
export function stepFiles(schema: JsonSchema | undefined, template: Template): Json[] {
  if (!schema) return []
  switch (template.kind) {
    case 'value':
      return filesIn(schema, template.value)
    case 'list':
      return template.items.flatMap((item) => stepFiles(schema.items ?? schema, item))
    case 'map':
      return Object.entries(template.entries).flatMap(([name, entry]) => stepFiles(memberOf(schema, name), entry))
    default:
      return []
  }
}

function filesIn(schema: JsonSchema | undefined, value: Json): Json[] {
  if (!schema) return []
  if (Array.isArray(value)) return value.flatMap((item: Json) => filesIn(schema.items ?? schema, item))
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([name, member = null]) => filesIn(memberOf(schema, name), member))
  return schema.format === 'file' ? [value] : []
}

function memberOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined
}
