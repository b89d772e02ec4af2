import { Document } from 'yaml'
import type { Json } from '../core/json.ts'
import type { DocumentNode, ScalarNode } from './document-node.ts'

/** The value of a node, with integers as bigint. */
export function toValue(node: DocumentNode): Json {
  return converted(node, (value) => value)
}

/** The same with integers as numbers, for validators. Integers that a number cannot hold lose digits. */
export function toPlain(node: DocumentNode): unknown {
  return converted(node, (value) => (typeof value === 'bigint' ? Number(value) : value))
}

function converted(node: DocumentNode, convert: (value: ScalarNode['value']) => Json): Json {
  switch (node.kind) {
    case 'scalar':
      return convert(node.value)
    case 'list':
      return node.items.map((item) => converted(item, convert))
    case 'map':
      // This creates own members only, whatever their names, even `__proto__`.
      return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, converted(value, convert)]))
  }
}

/** A value as YAML on one line: `{ people: 5200 }`. */
export function flowText(value: Json): string {
  const document = new Document()
  document.contents = document.createNode(value, { flow: true }) as typeof document.contents
  return document.toString({ lineWidth: 0 }).trimEnd()
}
