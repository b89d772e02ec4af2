import { formatPosition } from '../../core/diagnostic.ts'
import { type ErrorReport, InvalidDocumentError } from '../../core/errors.ts'
import { printable } from '../../core/printable.ts'
import { reportError } from '../../core/report-error.ts'
import { renderDiagnostics } from './render-diagnostics.ts'
import { type Style, styleFor } from './style.ts'
import { fittedTo } from './text-width.ts'

/** An error that ended a command, for people. */
export function renderError(error: unknown, stream: NodeJS.WriteStream): string {
  const style = styleFor(stream)
  if (error instanceof InvalidDocumentError) {
    return `${renderDiagnostics(error.diagnostics, error.text, style)}\n${style('red', error.message)}\n`
  }
  const report = reportError(error)
  const stack =
    report.code === 'internal' && error instanceof Error && error.stack ? `${style('dim', error.stack)}\n` : ''
  return `${renderReport(report, style).flatMap(fittedTo(stream)).join('\n')}\n${stack}`
}

/** An error for people, without an indent: what happened, which request, the position in the document, what to do. */
export function renderReport(report: ErrorReport, style: Style): string[] {
  const { message, request, at, hint } = report
  return [
    `${style('red', printable(message))}${request?.requestId ? style('dim', ` (request ${printable(request.requestId)})`) : ''}`,
    ...(at ? [style('dim', `at ${printable(formatPosition(at))}`)] : []),
    ...(hint ? [`${style('bold', 'What to do:')} ${printable(hint)}`] : []),
  ]
}
