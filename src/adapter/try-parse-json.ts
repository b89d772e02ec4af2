import { type Json, parseJson } from '../core/json.ts'

/** The parsed value of a text from outside, or undefined if it is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
