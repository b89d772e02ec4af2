/** A position in a document's text: offsets in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A value of a YAML document with its position. Aliases are resolved: the value of an alias keeps its own position. */
export type DocumentNode = MapNode | ListNode | ScalarNode

export interface MapNode extends Span {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, Entry>
}

export interface Entry {
  readonly key: Span
  readonly value: DocumentNode
}

interface ListNode extends Span {
  readonly kind: 'list'
  readonly items: readonly DocumentNode[]
}

type ScalarValue = string | bigint | number | boolean | null

export interface ScalarNode extends Span {
  readonly kind: 'scalar'
  readonly value: ScalarValue
  readonly style: 'plain' | 'single' | 'double' | 'block'
}

/** The value under a key of a map; undefined if there is none, or if the node is not a map. */
export function childOf(node: DocumentNode | undefined, key: string): DocumentNode | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined
}

export function itemsOf(node: DocumentNode | undefined): readonly DocumentNode[] {
  return node?.kind === 'list' ? node.items : []
}

export function entriesOf(node: DocumentNode | undefined): readonly (readonly [string, Entry])[] {
  return node?.kind === 'map' ? [...node.entries] : []
}

export function textOf(node: DocumentNode | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined
}

/** The scalars of a value at any depth, in the order of the document. */
export function scalarsIn(node: DocumentNode | undefined): readonly ScalarNode[] {
  if (node?.kind === 'scalar') return [node]
  return [...itemsOf(node), ...entriesOf(node).map(([, { value }]) => value)].flatMap(scalarsIn)
}

/**
 * The node at a JSON pointer and, for a member of a map, its key. If there is no such node, the last node on the way to
 * it.
 */
export function nodeAt(root: DocumentNode, pointer: string): { node: DocumentNode; key: Span | undefined } {
  let found: { node: DocumentNode; key: Span | undefined } = { node: root, key: undefined }
  for (const name of pointer.split('/').slice(1).map(nameIn)) {
    const { node } = found
    if (node.kind === 'map') {
      const entry = node.entries.get(name)
      if (!entry) break
      found = { node: entry.value, key: entry.key }
    } else if (node.kind === 'list') {
      const item = node.items[Number(name)]
      if (!item) break
      found = { node: item, key: undefined }
    } else break
  }
  return found
}

/** The name that a part of a JSON pointer stands for. */
export function nameIn(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
