import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import type { Position } from '../../core/diagnostic.ts'

/** A YAML text, read, with the way back from values to places. */
export interface YamlDocument {
  /** Syntax errors; with any of them the value means nothing. */
  readonly errors: readonly { readonly message: string; readonly at: Position }[]
  /** Integers are bigint. */
  readonly value: unknown
  /** Where the value at a JSON pointer is, or the name of its property `key`; the nearest parent where it is not there. */
  positionOf(pointer: string, key?: string): Position
}

export function readYaml(text: string, file: string): YamlDocument {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { intAsBigInt: true, lineCounter, prettyErrors: false })
  const at = (offset: number, length?: number): Position => {
    const { line, col } = lineCounter.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), ...(length !== undefined && { length }) }
  }
  const errors = document.errors.map((error) => ({ message: error.message, at: at(error.pos[0]) }))
  return {
    errors,
    value: errors.length > 0 ? undefined : document.toJS(),
    positionOf(pointer, key) {
      const [start, end] = rangeOf(document, pointer, key) ?? [0, 0]
      const length = text.slice(start, end).split('\n', 1)[0]?.length
      return at(start, length)
    },
  }
}

function rangeOf(document: Document, pointer: string, key: string | undefined): readonly [number, number] | undefined {
  const path = pointer.split('/').slice(1).map(unescaped)
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (key !== undefined && length === path.length && isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key)
      if (isRanged(pair?.key)) return pair.key.range
    }
    if (isRanged(node)) return node.range
  }
  return undefined
}

function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function isRanged(node: unknown): node is { range: [number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
}
