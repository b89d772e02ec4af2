import { Counter, Histogram, Registry } from 'prom-client'
import type { Exchange } from '../../adapter/transport.ts'
import type { RunEvent } from '../../core/run-event.ts'
import type { Outbox } from '../../state/outbox.ts'
import { processMetrics } from './process-metrics.ts'
import { type LookUpLabels, runMetrics } from './run-metrics.ts'
import { type StateFigures, stateMetrics } from './state-metrics.ts'
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
  /** The figures of the present state. If it rejects, the scrape shows `audience_state_readable 0` instead of them. */
  readonly readFigures: () => Promise<StateFigures>
  /** The labels of a run whose start this process has not seen. */
  readonly lookUp: LookUpLabels
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
    async text() {
      readProcess()
      setState(await figuresOf(options.readFigures))
      return registry.metrics()
    },
    onEvent,
    onExchange: serviceMetrics(registers),
    onOccurrence: triggerMetrics(registers, { pipeline }),
    onNotification: (outcome, count) => notifications.inc({ outcome }, count),
  }
}

async function figuresOf(read: () => Promise<StateFigures>): Promise<StateFigures | undefined> {
  try {
    return await read()
  } catch {
    // The metric reports it; if the whole scrape failed, the process would be invisible too.
    return undefined
  }
}

const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Counts the requests to the service. Returns the function that receives them. */
function serviceMetrics(registers: Registry[]): (exchange: Exchange) => void {
  const requests = new Counter({
    name: 'audience_service_requests_total',
    help: 'Requests to the service, by operation and outcome: done, rejected, unknown or notSent.',
    labelNames: ['operation', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'audience_service_request_duration_seconds',
    help: 'How long requests to the service took, without the waiting for a turn.',
    labelNames: ['operation'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  return ({ operation, outcome, durationMs }) => {
    requests.inc({ operation, outcome })
    duration.observe({ operation }, durationMs / 1000)
  }
}

/** `retried`: the attempt failed and another follows. `failed`: it was the last one. */
export type NotificationOutcome = 'delivered' | 'retried' | 'failed'

/** Wraps the outbox of a notifier to report the outcome of each delivery attempt. */
export function countNotifications(
  outbox: Outbox,
  tell: (outcome: NotificationOutcome, count: number) => void,
): Outbox {
  return {
    ...outbox,
    async delivered(ids, at) {
      await outbox.delivered(ids, at)
      tell('delivered', ids.length)
    },
    async failed(ids, attempt) {
      await outbox.failed(ids, attempt)
      tell(attempt.nextAt === undefined ? 'failed' : 'retried', ids.length)
    },
  }
}

/**
 * A label with at most `most` values, and `other` for all further ones. Each value adds a line to each scrape for as
 * long as the process lives.
 */
function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= most) return 'other'
    known.add(value)
    return value
  }
}
