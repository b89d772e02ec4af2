import { hash } from 'node:crypto'
import type { Query } from './database.ts'

/**
 * Stores the text of a document, redacted, and keeps it from being removed until the transaction ends. Returns its digest,
 * for the column `document` of the run. Submissions of one document do not wait for each other.
 */
export async function keepDocument(query: Query, text: string): Promise<string> {
  const digest = hash('sha256', text, 'base64url')
  for (;;) {
    const { changes } = await query('SELECT 1 FROM audience.documents WHERE digest = $1 FOR KEY SHARE', [digest])
    if (changes > 0) return digest
    // It may be removed again before the lock: hence the loop.
    await query('INSERT INTO audience.documents (digest, text) VALUES ($1, $2) ON CONFLICT DO NOTHING', [digest, text])
  }
}
