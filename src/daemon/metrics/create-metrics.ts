import { Registry } from 'prom-client'
import type { Exchange } from '../../adapter/transport.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { Outbox } from '../../state/outbox.ts'
import { METRICS } from './definitions.ts'
import { type Families, familiesOf } from './families.ts'
import { pipelineMetrics } from './pipeline-metrics.ts'
import { type ProcessView, processMetrics } from './process-metrics.ts'
import { type LookUpLabels, runMetrics } from './run-metrics.ts'
import { type StateFigures, stateMetrics } from './state-metrics.ts'
import { triggerMetrics } from './trigger-metrics.ts'

/** The metrics of a daemon: counters of what this process did, and gauges of the state at the time of a scrape. */
export type Metrics = ReturnType<typeof createMetrics>

/** What a scrape needs. */
export interface MetricsView extends ProcessView {
  /** The current figures of the state. If it rejects, the scrape shows `audience_state_readable 0` instead of them. */
  readonly readFigures: () => Promise<StateFigures>
}

/** `lookUp`: the labels of a run whose start this process has not seen. */
export function createMetrics({ version, lookUp }: { version: string; lookUp: LookUpLabels }) {
  const registry = new Registry()
  const families = familiesOf(registry)
  const pipelines = pipelineMetrics(families)
  const { label } = pipelines
  const readProcess = processMetrics(families, version)
  const setState = stateMetrics(families)
  const runs = runMetrics(families, { label, lookUp })
  const triggers = triggerMetrics(families, { label })
  const notifications = families.counter('audience_notification_attempts_total')
  // The counters begin at 0. If a counter first appeared with a failure, an alert would see no increase.
  for (const outcome of METRICS.audience_notification_attempts_total.labels.outcome) notifications.inc({ outcome }, 0)

  return {
    contentType: registry.contentType,
    /** The metrics in the text format of Prometheus. `view` provides the current figures. */
    async text(view: MetricsView) {
      // If the figures cannot be read, a metric says so. If the whole scrape failed, the metrics of the process would
      // be missing, too.
      const [figures] = await Promise.all([view.readFigures().catch(() => undefined), readProcess(view)])
      setState(figures)
      pipelines.show(figures?.lastSuccess)
      return registry.metrics()
    },
    /** Sets the loaded pipelines. Their counters exist from here on. `now` is in milliseconds since 1970. */
    load(loaded: readonly Pick<Pipeline, 'name' | 'triggers'>[], now: number) {
      pipelines.load(
        loaded.map(({ name }) => name),
        now,
      )
      for (const pipeline of loaded) {
        runs.load(pipeline.name)
        triggers.load(pipeline)
      }
    },
    onEvent: runs.onEvent,
    onExchange: serviceMetrics(families),
    onOccurrence: triggers.onOccurrence,
    onNotification: (outcome: NotificationOutcome, count: number) => notifications.inc({ outcome }, count),
  }
}

/** Counts the requests to the service. Returns the function that receives them. */
function serviceMetrics({ counter, histogram }: Families): (exchange: Exchange) => void {
  const requests = counter('audience_service_requests_total')
  const duration = histogram('audience_service_request_duration_seconds')
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
