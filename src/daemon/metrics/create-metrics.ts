import { Counter, Registry } from 'prom-client'
import type { Exchange } from '../../adapter/transport.ts'
import type { RunEvent } from '../../core/run-event.ts'
import { boundedLabel } from './bounded-label.ts'
import type { NotificationOutcome } from './count-notifications.ts'
import { processMetrics } from './process-metrics.ts'
import type { RunLabels } from './run-memory.ts'
import { runMetrics } from './run-metrics.ts'
import { serviceMetrics } from './service-metrics.ts'
import type { StateFigures } from './state-figures.ts'
import { stateMetrics } from './state-metrics.ts'
import { type AccountedOccurrence, triggerMetrics } from './trigger-metrics.ts'

/** The metrics of a daemon: counters of what this process did, and gauges of what is so when somebody asks. */
export interface Metrics {
  readonly contentType: string
  /** The text format of Prometheus. */
  text(): Promise<string>
  onEvent(event: RunEvent): void
  onExchange(exchange: Exchange): void
  onOccurrence(occurrence: AccountedOccurrence): void
  onNotification(outcome: NotificationOutcome, count: number): void
}

/** More than a folder of pipelines has, and less than a monitor would suffer from. */
const MOST_PIPELINES = 2000

export function createMetrics(options: {
  readonly version: string
  /** What this process works on: runs, and jobs and the like that it waits for (`Engine.load`). */
  readonly load: () => { readonly runs: number; readonly waits: number }
  /** How many runs no process works on. */
  readonly unattended: () => number
  /** Of the pipelines folder: the documents that are acted on, and those that something is wrong with. */
  readonly documents: () => { readonly live: number; readonly problems: number }
  /** What is so in the state; where it throws, the scrape has `audience_state_readable 0` in place of it. */
  readonly readFigures: () => StateFigures
  /** Of a run whose beginning this process has not seen. */
  readonly lookUp: (runId: string) => RunLabels | undefined
}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const pipeline = boundedLabel(MOST_PIPELINES)
  const readProcess = processMetrics(registers, options)
  const setState = stateMetrics(registers, { pipeline })
  const onEvent = runMetrics(registers, { pipeline, lookUp: options.lookUp })
  const notifications = new Counter({
    name: 'audience_notification_attempts_total',
    help: 'Attempts at telling people: delivered, to be retried, or given up (failed).',
    labelNames: ['outcome'],
    registers,
  })
  // A counter that comes into being with its first failure has no increase that an alert could see.
  for (const outcome of ['delivered', 'retried', 'failed']) notifications.inc({ outcome }, 0)

  return {
    contentType: registry.contentType,
    text() {
      readProcess()
      setState(figuresOf(options.readFigures))
      return registry.metrics()
    },
    onEvent,
    onExchange: serviceMetrics(registers),
    onOccurrence: triggerMetrics(registers, { pipeline }),
    onNotification: (outcome, count) => notifications.inc({ outcome }, count),
  }
}

function figuresOf(read: () => StateFigures): StateFigures | undefined {
  try {
    return read()
  } catch {
    // The metric says so; a scrape that fails as a whole would hide the process as well.
    return undefined
  }
}
