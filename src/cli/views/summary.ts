import { formatDuration } from '../../core/format/duration-text.ts'
import { stringifyJson } from '../../core/json.ts'
import type { RunEvent } from '../../core/run-event.ts'
import { describeFailures } from './describe-failures.ts'
import { renderReport } from './render-error.ts'
import type { Style } from './style.ts'

/** How a run ended, the reason if it is not the error of a step, and the outputs. */
export function summaryLines(event: Extract<RunEvent, { event: 'run.finished' }>, style: Style): string[] {
  const colour = event.status !== 'succeeded' ? 'red' : event.failures === undefined ? 'green' : 'yellow'
  const took = formatDuration(event.durationMs)
  const head = `${style(colour, event.status)} in ${took}${describeFailures(event)}, run ${event.runId}`
  const outputs = Object.entries(event.outputs).map(([name, value]) => `  ${name}: ${shown(value)}`)
  const hasFailures = event.status === 'failed' || event.failures !== undefined
  const next = hasFailures ? [`  retry, keeping what succeeded: audience runs retry ${event.runId}`] : []
  // The error of a step was already shown with the step.
  const { error } = event
  const reason = error && error.step === undefined ? renderReport(error, style).map((line) => `  ${line}`) : []
  return [head, ...reason, ...outputs, ...next]
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
