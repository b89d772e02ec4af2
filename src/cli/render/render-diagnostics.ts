import { type Diagnostic, formatPosition } from '../../core/diagnostic.ts'
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
  const head = `${at ? `${style('bold', formatPosition(at))} ` : ''}${style(colour, severity)} ${message} ${style('dim', `[${code}]`)}`
  const source = at ? lines[at.line - 1] : undefined
  return [
    head,
    ...(at && source !== undefined ? excerpt(source, at, (text) => style(colour, text)) : []),
    ...(hint ? [`    ${hint}`] : []),
    '',
  ].join('\n')
}

function excerpt(
  source: string,
  at: { line: number; column: number; length?: number },
  mark: (text: string) => string,
): string[] {
  const number = String(at.line).padStart(4)
  const indent = source.slice(0, at.column - 1).replace(/[^\t]/g, ' ')
  const length = Math.max(1, Math.min(at.length ?? 1, source.length - at.column + 1))
  return [`${number} | ${source}`, `${' '.repeat(4)} | ${indent}${mark('^'.repeat(length))}`]
}
