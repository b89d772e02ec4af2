import { formatDuration } from '../../core/duration.ts'
import { stringifyJson } from '../../core/json.ts'
import type { RunEvent } from '../../core/run-event.ts'
import type { Style } from './style.ts'

/** How a run ended, and its outputs. */
export function summaryLines(event: Extract<RunEvent, { event: 'run.finished' }>, style: Style): string[] {
  const colour = event.status === 'succeeded' ? 'green' : 'red'
  const head = `${style(colour, event.status)} in ${formatDuration(event.durationMs)}, run ${event.runId}`
  const outputs = Object.entries(event.outputs).map(([name, value]) => `  ${name}: ${shown(value)}`)
  const next = event.status === 'failed' ? [`  retry, keeping what succeeded: audience runs retry ${event.runId}`] : []
  return [head, ...outputs, ...next]
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
