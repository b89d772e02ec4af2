import { Gauge, type Registry } from 'prom-client'
import type { StateFigures } from './state-figures.ts'

/**
 * Metrics of the present state. Returns the function that sets them before a scrape: it gets the figures, or undefined
 * if the state could not be read.
 */
export function stateMetrics(
  registers: Registry[],
  { pipeline }: { readonly pipeline: (name: string) => string },
): (figures: StateFigures | undefined) => void {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers })
  const readable = gauge('audience_state_readable', '1 where the state could be read for this scrape, 0 where not.')
  const runs = gauge('audience_runs', 'Runs that have not ended: queued, running, or waiting for a person.', ['state'])
  const notifications = gauge('audience_notifications', 'Notifications to be delivered still, or given up.', ['state'])
  const lastSuccess = gauge(
    'audience_pipeline_last_success_timestamp_seconds',
    'When the newest successful run of a pipeline ended.',
    ['pipeline'],
  )

  return (figures) => {
    // No figure is better than an old one.
    for (const one of [runs, notifications, lastSuccess]) one.reset()
    readable.set(figures ? 1 : 0)
    if (!figures) return
    for (const [state, count] of Object.entries(figures.runs)) runs.set({ state }, count)
    for (const [state, count] of Object.entries(figures.notifications)) notifications.set({ state }, count)
    for (const [name, at] of figures.lastSuccess) lastSuccess.set({ pipeline: pipeline(name) }, at / 1000)
  }
}
