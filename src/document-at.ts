import { readFileSync, statSync } from 'node:fs'

/** The text of a document; undefined where it cannot be read. */
export function documentAt(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}
