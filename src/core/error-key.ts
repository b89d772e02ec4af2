import type { ErrorReport } from './errors.ts'
import { sha256 } from './sha256.ts'

/** The words of a message. Words with a digit (a number, an id, a time) differ between two errors of one kind. */
const WORDS = /[\p{L}\p{N}_.:-]+/gu
const DIGIT = /\p{N}/u
const LENGTH = 16

/** A key that is the same for errors with the same code, step and message, whatever the numbers, ids and item. */
export function errorKey({ code, step = '', message }: Pick<ErrorReport, 'code' | 'step' | 'message'>): string {
  const parts = [code, step.replace(/\[.*\]/s, '[]'), withoutFigures(message)]
  return sha256(parts.join('\n')).slice(0, LENGTH)
}

/**
 * Looks for a digit only in words that were found. If the pattern itself required a digit, each character of a long
 * text without digits would start a new search for one.
 */
function withoutFigures(message: string): string {
  return message.replaceAll(WORDS, (word) => (DIGIT.test(word) ? '#' : word))
}
