import type { Diagnostic } from '../../core/diagnostic.ts'
import { printable } from '../../core/printable.ts'

/** A GitHub Actions workflow command that puts a diagnostic on its line. */
export function githubAnnotation({ severity, code, message, hint, at }: Diagnostic): string {
  const place = at ? ` file=${property(at.file)},line=${at.line},col=${at.column},title=${property(code)}` : ''
  return `::${severity}${place}::${data(hint === undefined ? message : `${message}\n${hint}`)}`
}

function data(text: string): string {
  return text.split('\n').map(printable).join('\n').replaceAll('%', '%25').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
