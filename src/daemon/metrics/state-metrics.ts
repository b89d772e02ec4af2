import { Gauge, type Registry } from 'prom-client'
import type { State } from '../../state/state.ts'

/** The figures of the state for metrics, read at each scrape. */
export interface StateFigures {
  /** The runs that have not ended, whichever process works on them. `waiting`: for a person. */
  readonly runs: Readonly<Record<'queued' | 'running' | 'waiting', number>>
  /** `failed`: delivery was given up. */
  readonly notifications: { readonly pending: number; readonly failed: number }
  /**
   * When the newest successful run ended, in milliseconds since 1970, by the name of the pipeline, for loaded
   * pipelines.
   */
  readonly lastSuccess: ReadonlyMap<string, number>
}

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

/** Reads the figures, with two small queries a pipeline. `pipelines` are the names of the loaded pipelines. */
export async function readStateFigures(
  { runs, outbox }: Pick<State, 'runs' | 'outbox'>,
  pipelines: Iterable<string>,
): Promise<StateFigures> {
  const lastSuccess = new Map<string, number>()
  for (const pipeline of pipelines) {
    const at = (await runs.lastSuccess(pipeline))?.finishedAt
    if (at !== undefined) lastSuccess.set(pipeline, at)
  }
  return { runs: await runs.counts(), notifications: await outbox.counts(), lastSuccess }
}
