import { readFileSync } from 'node:fs'

/** The text of a document; undefined where it cannot be read. */
export function documentAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
