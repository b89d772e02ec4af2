import type { DecodedText } from '../core/decode-text.ts'
import type { DiagnosticCollector } from './diagnostic-collector.ts'
import { reportNotUtf8 } from './utf8-text.ts'

/** In UTF-16 units; a longer text is not a pipeline, and parsing it costs memory. */
export const MAX_DOCUMENT_LENGTH = 1_000_000

/** Whether a text can be a document; reports a problem if not. `what` says what it should be, such as `a pipeline`. */
export function isReadable(
  { text, invalid }: Pick<DecodedText, 'text' | 'invalid'>,
  what: string,
  reporter: DiagnosticCollector,
): boolean {
  if (invalid) {
    reportNotUtf8(invalid, reporter)
    return false
  }
  if (text.length <= MAX_DOCUMENT_LENGTH) return true
  const message = `the document has ${text.length} characters; ${what} has at most ${MAX_DOCUMENT_LENGTH}`
  reporter.error({ code: 'document-too-large', message }, { start: 0, end: 0 })
  return false
}
