import { type Diagnostic, formatPosition } from '../../core/diagnostic.ts'
import { InvalidDocumentError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import type { InvalidDocument } from './live-documents.ts'

/** The most problems reported for one document. */
const MAX_MESSAGES = 20

/** What is wrong with a document: a sentence for each problem. Missing `errors`: each message is one. */
export interface DocumentProblems {
  readonly messages: readonly string[]
  readonly errors?: Pick<InvalidDocument, 'errors' | 'places'> | undefined
}

/** The problems of a document that an error tells. Any error here concerns only this document: the others are read all the same. */
export function problemsIn(file: string, error: unknown): DocumentProblems {
  if (!(error instanceof InvalidDocumentError)) return { messages: [messageOf(error)], errors: undefined }
  const errors = error.diagnostics.filter(({ severity }) => severity === 'error')
  const more = errors.length > MAX_MESSAGES ? [`and ${errors.length - MAX_MESSAGES} more errors`] : []
  const shown = errors.slice(0, MAX_MESSAGES)
  const places = shown.map(({ at }) => (at?.file === file ? { line: at.line, column: at.column } : undefined))
  return { messages: [...shown.map(sentence), ...more], errors: { errors: errors.length, places } }
}

function sentence({ at, message, code, hint }: Diagnostic): string {
  return `${at ? `${formatPosition(at)} ` : ''}${message} [${code}]${hint === undefined ? '' : `; ${hint}`}`
}
