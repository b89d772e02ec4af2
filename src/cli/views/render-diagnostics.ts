import { type Diagnostic, formatPosition, type Position } from '../../core/diagnostic.ts'
import { printable } from '../../core/printable.ts'
import type { Style } from './style.ts'

/** Diagnostics for people, each with its line of the document and the offending text underlined. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], text: string, style: Style): string {
  const lines = text.split(/\r?\n/)
  return diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, lines, style)).join('\n')
}

function renderDiagnostic(
  { severity, code, message, hint, at }: Diagnostic,
  lines: readonly string[],
  style: Style,
): string {
  const colour = severity === 'error' ? 'red' : 'yellow'
  const head = `${at ? `${style('bold', printable(formatPosition(at)))} ` : ''}${style(colour, severity)} ${printable(message)} ${style('dim', `[${code}]`)}`
  const source = at ? lines[at.line - 1] : undefined
  return [
    head,
    ...(at && source !== undefined ? excerpt(source, at, (text) => style(colour, text)) : []),
    ...(hint ? [`    ${printable(hint)}`] : []),
    '',
  ].join('\n')
}

/** Far wider than a terminal; longer lines are shown around the position. */
const MAX_SHOWN = 160

function excerpt(source: string, at: Position, mark: (text: string) => string): string[] {
  const number = String(at.line).padStart(4)
  const from = Math.max(0, at.column - 1 - MAX_SHOWN / 2)
  const cut =
    source.length <= MAX_SHOWN ? { text: source, from: 0 } : { text: source.slice(from, from + MAX_SHOWN), from }
  const start = at.column - 1 - cut.from
  const indent = printable(cut.text.slice(0, start)).replace(/[^\t]/g, ' ')
  const length = Math.max(1, Math.min(at.length ?? 1, cut.text.length - start))
  return [`${number} | ${printable(cut.text)}`, `${' '.repeat(4)} | ${indent}${mark('^'.repeat(length))}`]
}
