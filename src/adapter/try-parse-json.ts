import { type Json, parseForeignJson } from '../core/json.ts'

/** Parses text from outside. Returns undefined if the text is not JSON or exceeds a limit. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseForeignJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
