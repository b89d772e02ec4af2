import type { Json } from '../core/json.ts'
import type { DocumentNode } from './document-node.ts'

/** The value of a node, with integers as bigint. */
export function toValue(node: DocumentNode): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(toValue)
    case 'map':
      return fromEntries([...node.entries].map(([key, { value }]) => [key, toValue(value)]))
  }
}

/** The same with integers as numbers, for validators. Integers that a number cannot hold lose digits. */
export function toPlain(node: DocumentNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return typeof node.value === 'bigint' ? Number(node.value) : node.value
    case 'list':
      return node.items.map(toPlain)
    case 'map':
      return fromEntries([...node.entries].map(([key, { value }]) => [key, toPlain(value)]))
  }
}

/** Creates own members only, whatever their names: `Object.fromEntries` defines members, even `__proto__`. */
function fromEntries<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries)
}
