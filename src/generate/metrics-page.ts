import type { MetricDefinition } from '../daemon/metrics/definitions.ts'
import { code, page, table } from './markdown.ts'

/** The page with every metric of `audience start`. */
export function metricsPage(metrics: Readonly<Record<string, MetricDefinition>>): string {
  const rows = Object.entries(metrics).map(([name, metric]) => [
    code(name),
    metric.ofState ? `${metric.type} of the state` : metric.type,
    labelsOf(metric),
    metric.help,
  ])
  return page('# Metrics', INTRO, table(['metric', 'type', 'labels', ''], rows), NOTES)
}

function labelsOf({ labels = {} }: MetricDefinition): string {
  return Object.entries(labels)
    .map(([label, values]) => (values.length === 0 ? code(label) : `${code(label)}: ${values.map(code).join(', ')}`))
    .join('; ')
}

const INTRO = [
  'What `/metrics` of `audience start` says. Counters count what this process did since its start; add them up over the',
  'workers of a PostgreSQL. Gauges of the state are read from it at every scrape, so they are the same in each worker, and',
  'include what was before a restart.',
].join('\n')

const NOTES = [
  'The counters of a pipeline exist with 0 from the moment its document is loaded: those of slots if it has a schedule, those',
  'of files if it watches a folder. `pipeline` has at most 2,000 values for as long as the process lives; what comes later counts as',
  '`other`. Of these, `audience_pipeline_loaded_timestamp_seconds` and `audience_pipeline_last_success_timestamp_seconds` show the',
  'earliest; a pipeline that never succeeded counts from its load. A run that began before the last restart counts under its own',
  'pipeline, or under `unknown` if its records are gone.',
].join('\n')
