import type { ErrorReport } from './errors.ts'
import { sha256 } from './sha256.ts'

/** Matches what differs between two errors of one kind: a number, an id, a time. */
const CHANGING = /[\p{L}\p{N}_.:-]*\p{N}[\p{L}\p{N}_.:-]*/gu
const LENGTH = 16

/** The same for errors of one kind: of the same code, step and message, whatever the numbers, the ids and the item. */
export function errorKey({ code, step = '', message }: Pick<ErrorReport, 'code' | 'step' | 'message'>): string {
  const parts = [code, step.replace(/\[.*\]/s, '[]'), message.replaceAll(CHANGING, '#')]
  return sha256(parts.join('\n')).slice(0, LENGTH)
}
