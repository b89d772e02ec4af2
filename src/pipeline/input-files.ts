import { isJsonObject, type Json } from '../core/json.ts'
import { type DocumentNode, entriesOf } from '../document/document-node.ts'
import type { Declared } from './input-value.ts'

/** Changes each path of a file in an input's value; `pointer` says where in the value it stands. */
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

/** The nodes of an input's value in a document that are paths of files. */
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
