import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { InputDeclaration } from '../core/pipeline.ts'
import { entriesIn, itemsIn, type Template } from '../core/template.ts'
import { childOf, type DocumentNode, entriesOf } from '../document/document-node.ts'
import type { Declared } from './input-value.ts'
import type { StepDraft } from './read-steps.ts'

/** Changes each file path in the value of an input. `pointer` says where in the value the path is. */
export function mapFiles(declared: Declared, value: Json, change: (path: string, pointer: string) => Json): Json {
  return mapped(declared, value, '', change)
}

function mapped(
  { type, items = 'string' }: Declared,
  value: Json,
  pointer: string,
  change: (path: string, pointer: string) => Json,
): Json {
  if (type === 'file') return typeof value === 'string' ? change(value, pointer) : value
  if (type !== 'list' || !Array.isArray(value)) return value
  if (typeof items === 'string') {
    if (items !== 'file') return value
    return value.map((item: Json, index) => mapped({ type: items }, item, `${pointer}/${index}`, change))
  }
  return value.map((entry: Json, index) => {
    if (!isJsonObject(entry)) return entry
    const fields = Object.entries(entry).map(([name, part = null]) => {
      const field = Object.hasOwn(items, name) ? items[name] : undefined
      return [name, field ? mapped(field, part, `${pointer}/${index}/${name}`, change) : part]
    })
    return Object.fromEntries(fields)
  })
}

/** The paths of files in an input's value. */
export function filesIn(declared: Declared, value: Json): string[] {
  const paths: string[] = []
  mapFiles(declared, value, (path) => {
    paths.push(path)
    return path
  })
  return paths
}

/** The nodes that are paths of files, in the value of an input in a document. */
export function fileNodes({ type, items = 'string' }: Declared, node: DocumentNode | undefined): DocumentNode[] {
  if (!node) return []
  if (type === 'file') return [node]
  if (type !== 'list' || node.kind !== 'list') return type === 'list' && items === 'file' ? [node] : []
  if (typeof items === 'string') return items === 'file' ? [...node.items] : []
  return node.items.flatMap((entry) =>
    entriesOf(entry).flatMap(([name, { value }]) => {
      const field = Object.hasOwn(items, name) ? items[name] : undefined
      return field ? fileNodes(field, value) : []
    }),
  )
}

/** The nodes of a document that are paths of files: defaults of inputs, and fields of steps. */
export function documentFileNodes({ root, inputs, drafts }: WithFiles): DocumentNode[] {
  const declared = childOf(root, 'inputs')
  const named = [
    ...Object.entries(inputs).flatMap(([name, declaration]) =>
      fileNodes(declaration, childOf(childOf(declared, name), 'default')),
    ),
    ...drafts.flatMap(({ type, withEntry }) => stepFileNodes(type?.input, withEntry?.value)),
  ]
  return named.flatMap((node) => (node.kind === 'list' ? node.items : [node]))
}

/** The parts of a document that name files. */
export interface WithFiles {
  readonly root: DocumentNode
  readonly inputs: Readonly<Record<string, InputDeclaration>>
  readonly drafts: readonly StepDraft[]
}

/** The parts of a step's input that name files, by the schema of that input. */
function stepFileNodes(schema: JsonSchema | undefined, node: DocumentNode | undefined): DocumentNode[] {
  if (!schema || !node) return []
  if (node.kind === 'list') return node.items.flatMap((item) => stepFileNodes(schema.items ?? schema, item))
  if (node.kind === 'map')
    return [...node.entries].flatMap(([name, { value }]) => stepFileNodes(memberOf(schema, name), value))
  return schema.format === 'file' ? [node] : []
}

/** The files that a step's input names without expressions. */
export function stepFiles(schema: JsonSchema | undefined, template: Template): Json[] {
  return partsOf(schema, template).flatMap(({ place, part }) =>
    part.kind === 'value' && place.format === 'file' ? [part.value] : [],
  )
}

/** The expressions of a step's input that give files, or values that may contain some. */
export function fileExpressions(schema: JsonSchema | undefined, template: Template): Template[] {
  return partsOf(schema, template).flatMap(({ place, part }) =>
    part.kind !== 'value' && mayHoldFile(place) ? [part] : [],
  )
}

/** The plain values and the expressions in a step's input, each with the schema of its position. */
function partsOf(
  schema: JsonSchema | undefined,
  template: Template,
): { readonly place: JsonSchema; readonly part: Template }[] {
  if (!schema) return []
  const [items, entries] = [itemsIn(template), entriesIn(template)]
  if (items) return items.flatMap((item) => partsOf(schema.items ?? schema, item))
  if (entries) return Object.entries(entries).flatMap(([name, entry]) => partsOf(memberOf(schema, name), entry))
  return [{ place: schema, part: template }]
}

function mayHoldFile({ format, items, properties = {} }: JsonSchema): boolean {
  return format === 'file' || (items !== undefined && mayHoldFile(items)) || Object.values(properties).some(mayHoldFile)
}

function memberOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined
}
