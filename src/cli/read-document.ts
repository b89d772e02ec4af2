import { readFileSync, statSync } from 'node:fs'
import { AudienceError } from '../core/errors.ts'

/** Far more than a document may have; the loader says so with a position. */
const MAX_BYTES = 10_000_000

/** The text of a document. Throws an AudienceError that says why it cannot be read. */
export function readDocument(file: string): string {
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error('it is larger than 10 MB')
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new AudienceError({
      code: 'document-unreadable',
      kind: 'invalid',
      message: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'check the path',
      cause: error,
    })
  }
}
