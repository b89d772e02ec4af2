import { type DecodedText, type InvalidByte, notUtf8 } from '../core/decode-text.ts'
import { InvalidDocumentError } from '../core/errors.ts'
import { DiagnosticCollector } from './diagnostic-collector.ts'

/** The text of a file that must be UTF-8. Throws InvalidDocumentError with the position of the first invalid byte. */
export function utf8Text({ text, invalid }: DecodedText, file: string): string {
  if (!invalid) return text
  const reporter = new DiagnosticCollector(file, text)
  reportNotUtf8(invalid, reporter)
  throw new InvalidDocumentError(file, text, reporter.diagnostics())
}

export function reportNotUtf8(invalid: InvalidByte, reporter: DiagnosticCollector): void {
  const isUtf16 = invalid.offset === 0 && invalid.byte >= 0xfe
  const hint = isUtf16 ? 'it looks like UTF-16; save it as UTF-8' : 'save it as UTF-8'
  const span = { start: invalid.index, end: invalid.index + 1 }
  reporter.error({ code: 'not-utf8', message: notUtf8(invalid), hint }, span)
}
