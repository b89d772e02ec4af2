import { readFileSync, statSync } from 'node:fs'
import { type DecodedText, decodeText } from '../../core/decode-text.ts'

/** The text of a document; undefined if it cannot be read. */
export function documentAt(path: string): DecodedText | undefined {
  try {
    return statSync(path).isFile() ? decodeText(readFileSync(path)) : undefined
  } catch {
    return undefined
  }
}
