import type { InputDeclaration } from '../../api/types.ts'

export interface InputValues {
  readonly values: Readonly<Record<string, unknown>>
  /** What is wrong, by the names of the inputs. */
  readonly wrong: Readonly<Record<string, string>>
}

/** The values of what was typed. An empty field leaves the input to its default. */
export function readInputs(inputs: readonly InputDeclaration[], texts: Readonly<Record<string, string>>): InputValues {
  const values: Record<string, unknown> = {}
  const wrong: Record<string, string> = {}
  for (const input of inputs) {
    const text = texts[input.name] ?? ''
    if (text === startText(input) && !input.required) continue
    if (text.trim() === '' && input.type !== 'string') {
      if (input.required) wrong[input.name] = 'is required'
      continue
    }
    try {
      values[input.name] = readText(input, text)
    } catch (error) {
      wrong[input.name] =
        error instanceof SyntaxError ? `is no JSON: ${error.message}` : String((error as Error).message)
    }
  }
  return { values, wrong }
}

/** What a field holds before anybody types: the default. */
export function startText({ default: value }: Pick<InputDeclaration, 'default'>): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join('\n')
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** Throws an error whose message continues the name of the input. */
function readText({ type, items }: InputDeclaration, text: string): unknown {
  if (type === 'list') return readList(text.trim(), typeof items === 'string' ? items : 'string')
  return readScalar(type, text)
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
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new Error('has to be a list')
  return list
}
