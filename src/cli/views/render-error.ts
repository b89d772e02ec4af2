import { InvalidDocumentError } from '../../core/errors.ts'
import { reportError } from '../../core/report-error.ts'
import { renderDiagnostics } from './render-diagnostics.ts'
import { renderReport } from './render-report.ts'
import { styleFor } from './style.ts'
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
