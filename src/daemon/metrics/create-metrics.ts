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

/** The metrics of a daemon: counters of what this process did, and gauges of the state at the time of a scrape. */
export interface Metrics {
  readonly contentType: string
  /** In the text format of Prometheus. */
  text(): Promise<string>
  onEvent(event: RunEvent): void
  onExchange(exchange: Exchange): void
  onOccurrence(occurrence: AccountedOccurrence): void
  onNotification(outcome: NotificationOutcome, count: number): void
}

/** More pipelines than a folder has, and fewer than would hurt a monitor. */
const MOST_PIPELINES = 2000

export function createMetrics(options: {
  readonly version: string
  /** What this process works on: runs, and its waits for jobs and the like (`Engine.load`). */
  readonly load: () => { readonly runs: number; readonly waits: number }
  /** How many runs no process works on. */
  readonly unattended: () => number
  /** The documents of the pipelines folder: how many are in use, and how many have problems. */
  readonly documents: () => { readonly live: number; readonly problems: number }
  /** The figures of the present state. If it throws, the scrape shows `audience_state_readable 0` instead of them. */
  readonly readFigures: () => StateFigures
  /** The labels of a run whose start this process has not seen. */
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
  // A counter that first appears with a failure shows no increase that an alert could see.
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
    // The metric reports it; if the whole scrape failed, the process would be invisible too.
    return undefined
  }
}
