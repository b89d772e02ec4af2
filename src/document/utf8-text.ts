import { type DecodedText, type InvalidByte, notUtf8 } from '../core/decode-text.ts'
import { InvalidDocumentError } from '../core/errors.ts'
import { count, grouped } from '../core/format/figures.ts'
import { DiagnosticCollector } from './diagnostic-collector.ts'

/** The text of a file that must be UTF-8. Throws InvalidDocumentError with the position of the first invalid byte. */
export function utf8Text({ text, invalid }: DecodedText, file: string): string {
  if (!invalid) return text
  const reporter = new DiagnosticCollector(file, text)
  reportNotUtf8(invalid, reporter)
  throw new InvalidDocumentError(file, text, reporter.diagnostics())
}

function reportNotUtf8(invalid: InvalidByte, reporter: DiagnosticCollector): void {
  const isUtf16 = invalid.offset === 0 && invalid.byte >= 0xfe
  const hint = isUtf16 ? 'it looks like UTF-16; save it as UTF-8' : 'save it as UTF-8'
  const span = { start: invalid.index, end: invalid.index + 1 }
  reporter.error({ code: 'not-utf8', message: notUtf8(invalid), hint }, span)
}

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
  const message = `the document has ${count(text.length, 'character')}; ${what} has at most ${grouped(MAX_DOCUMENT_LENGTH)}`
  reporter.error({ code: 'document-too-large', message }, { start: 0, end: 0 })
  return false
}
