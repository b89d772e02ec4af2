import { formatPosition } from '../../core/diagnostic.ts'
import type { ErrorReport } from '../../core/errors.ts'
import { printable } from '../../core/printable.ts'
import type { Style } from './style.ts'

/**
 * An error for people: what happened, which request, the position in the document, what to do. The lines have no
 * indent.
 */
export function renderReport(report: ErrorReport, style: Style): string[] {
  const { message, request, at, hint } = report
  return [
    `${style('red', printable(message))}${request?.requestId ? style('dim', ` (request ${printable(request.requestId)})`) : ''}`,
    ...(at ? [style('dim', `at ${printable(formatPosition(at))}`)] : []),
    ...(hint ? [`${style('bold', 'What to do:')} ${printable(hint)}`] : []),
  ]
}
