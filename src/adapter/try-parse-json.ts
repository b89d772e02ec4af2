import { type Json, parseForeignJson } from '../core/json.ts'

/** The parsed value of a text from outside, or undefined if it is not JSON, or beyond a limit. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseForeignJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
