import { Document } from 'yaml'
import type { Json } from '../core/json.ts'

/** A value as YAML on one line: `{ people: 5200 }`. */
export function flowText(value: Json): string {
  const document = new Document()
  document.contents = document.createNode(value, { flow: true }) as typeof document.contents
  return document.toString({ lineWidth: 0 }).trimEnd()
}
