import { hash } from 'node:crypto'
import type { Query } from './database.ts'

/** What identifies the text of a document in the table `documents`, and in the column `document` of its runs. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** Stores the text of a document once. Submissions of one document do not wait for each other. */
export async function addDocument(query: Query, text: string): Promise<void> {
  const values = [digestOf(text), text]
  await query('INSERT INTO audience.documents (digest, text) VALUES ($1, $2) ON CONFLICT DO NOTHING', values)
}
