import type { InputDeclaration } from '../../api/types.ts'
import { exactJson } from '../../format/exact-json.ts'

/** The value of a text that is not empty. Throws an error whose message continues the name of the input. */
export function readValue({ type, items = 'string' }: Pick<InputDeclaration, 'type' | 'items'>, text: string): unknown {
  return type === 'list' ? readList(text.trim(), items) : readScalar(type, text)
}

function readScalar(type: string, text: string): unknown {
  const trimmed = text.trim()
  switch (type) {
    case 'integer':
      if (!/^[+-]?\d+$/.test(trimmed)) throw new Error('has to be a whole number')
      return Number.isSafeInteger(Number(trimmed)) ? Number(trimmed) : trimmed
    case 'number':
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) throw new Error('has to be a number')
      return Number(trimmed)
    case 'boolean':
      if (!/^(true|false)$/.test(trimmed)) throw new Error('has to be true or false')
      return trimmed === 'true'
    case 'date':
      if (!/^\d{4}-\d\d-\d\d$/.test(trimmed)) throw new Error('has to be a date such as 2026-01-31')
      return trimmed
    default:
      return text
  }
}

/** A JSON list, or one value a line. */
function readList(text: string, items: string): readonly unknown[] {
  if (!text.startsWith('[')) {
    const lines = text.split('\n').map((line) => line.trim())
    return lines.filter((line) => line !== '').map((line) => readScalar(items, line))
  }
  const list = exactJson(text)
  if (!Array.isArray(list)) throw new Error('has to be a list')
  return list
}
