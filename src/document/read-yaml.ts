import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Diagnostic, Position } from '../core/diagnostic.ts'

/** A small YAML file as plain values, with the place of each of them. As in `parseJson`, unsafe integers are bigint. */
export interface YamlText {
  readonly value: unknown
  /** Of the value at a JSON pointer; of the nearest one above it that is there. */
  positionOf(pointer: string): Position
  /** Of the key of a member. */
  positionOfKey(pointer: string, key: string): Position
}

/** More aliases than this in one file are an attack or a mistake. */
const MAX_ALIASES = 100

/** Reads YAML 1.2. The value is there only when there is no diagnostic. */
export function readYaml(text: string, file: string): { yaml?: YamlText; diagnostics: readonly Diagnostic[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, { intAsBigInt: true, lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const at = (offset: number, end?: number): Position => {
    const { line, col } = lines.linePos(offset)
    return {
      file,
      line: Math.max(1, line),
      column: Math.max(1, col),
      ...(end !== undefined && { length: Math.max(1, end - offset) }),
    }
  }
  const diagnostics = [...document.errors, ...document.warnings].map(
    (problem): Diagnostic => ({
      severity: 'error',
      code: 'yaml-syntax',
      message: problem.message,
      at: at(problem.pos[0], problem.pos[1]),
    }),
  )
  if (diagnostics.length > 0) return { diagnostics }
  try {
    const places = placesOf(document.contents)
    const rangeOf = (node: unknown) => (isNode(node) && node.range ? at(node.range[0], node.range[1]) : at(0))
    return {
      yaml: {
        value: document.toJS({ maxAliasCount: MAX_ALIASES, reviver: plainInteger }),
        positionOf(pointer) {
          for (let here = pointer; here !== ''; here = here.slice(0, here.lastIndexOf('/'))) {
            const place = places.get(here)
            if (place) return rangeOf(place.value)
          }
          return rangeOf(document.contents)
        },
        positionOfKey: (pointer, key) => rangeOf(places.get(`${pointer}/${escapeToken(key)}`)?.key),
      },
      diagnostics: [],
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { diagnostics: [{ severity: 'error', code: 'yaml-syntax', message, at: at(0) }] }
  }
}

interface Place {
  readonly key?: unknown
  readonly value: unknown
}

/** Every value of a document by its JSON pointer, with its key where it is a member. */
function placesOf(root: unknown): Map<string, Place> {
  const places = new Map<string, Place>()
  const walk = (pointer: string, value: unknown, key?: unknown) => {
    places.set(pointer, { key, value })
    if (isMap(value)) {
      for (const pair of value.items) {
        if (isScalar(pair.key)) walk(`${pointer}/${escapeToken(String(pair.key.value))}`, pair.value, pair.key)
      }
    }
    if (isSeq(value)) for (const [index, item] of value.items.entries()) walk(`${pointer}/${index}`, item)
  }
  walk('', root)
  return places
}

function plainInteger(_key: unknown, value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** RFC 6901. */
function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
