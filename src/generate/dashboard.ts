import { METRICS, type MetricDefinition, type MetricName } from '../daemon/metrics/definitions.ts'

/**
 * The panels, row by row. Each shows families of metrics; the definitions of the metrics determine how it shows them.
 */
const ROWS: Readonly<Record<string, Readonly<Record<string, readonly MetricName[]>>>> = {
  Pipelines: {
    'Runs that ended': ['audience_runs_total'],
    'Runs that began': ['audience_runs_started_total'],
    'Runs that have not ended': ['audience_runs'],
    'Time since the last success': ['audience_pipeline_last_success_timestamp_seconds'],
    'Time since the document was loaded': ['audience_pipeline_loaded_timestamp_seconds'],
    'How long runs took, 95th percentile': ['audience_run_duration_seconds'],
  },
  Triggers: {
    'Slots of schedules': ['audience_slots_total'],
    'How late slots got their runs, 95th percentile': ['audience_slot_lateness_seconds'],
    'Sets of ended runs for after triggers': ['audience_sets_total'],
    'Files of watched folders': ['audience_files_total'],
    Documents: ['audience_pipelines', 'audience_pipeline_problems'],
    'Deployment from git': ['audience_deployment'],
    'Files of sources': ['audience_source_files'],
    'Time since sources were reached': ['audience_source_reached_timestamp_seconds'],
    'How long sources have failed': ['audience_source_failing_since_timestamp_seconds'],
  },
  'Steps and the service': {
    'Steps that ended': ['audience_steps_total'],
    'Attempts that were repeated': ['audience_step_retries_total'],
    'Requests to the service': ['audience_service_requests_total'],
    'How long requests took, 95th percentile': ['audience_service_request_duration_seconds'],
  },
  People: {
    'Notifications that are waiting or were given up': ['audience_notifications'],
    'Attempts to notify people': ['audience_notification_attempts_total'],
  },
  Health: {
    'Checks of /readyz that pass': ['audience_ready'],
    'The state can be read': ['audience_state_readable'],
    'The keeper': ['audience_keeper'],
    'Disk of the state': ['audience_state_disk_free_bytes', 'audience_state_disk_size_bytes'],
    'Work of each process': ['audience_runs_worked_on', 'audience_waits', 'audience_runs_unattended'],
    'Memory of each process': ['process_resident_memory_bytes'],
    'Processors in use': ['process_cpu_seconds_total'],
    'Time since the start': ['process_start_time_seconds'],
    Versions: ['audience_build_info'],
  },
}

const COLUMNS = 3
const WIDTH = 24 / COLUMNS
const HEIGHT = 8

/** The dashboard for Grafana: a panel for every family of metrics. */
export function dashboard() {
  let y = 0
  let id = 0
  const panels = Object.entries(ROWS).flatMap(([title, row]) => {
    const head = { id: ++id, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] }
    const inRow = Object.entries(row).map(([name, families], index) => ({
      id: ++id,
      ...panelOf(name, families),
      gridPos: {
        x: (index % COLUMNS) * WIDTH,
        y: y + 1 + Math.floor(index / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      },
    }))
    y += 1 + Math.ceil(inRow.length / COLUMNS) * HEIGHT
    return [head, ...inRow]
  })
  return {
    uid: 'audience',
    title: 'Audience Pipelines',
    description: 'Generated from the definitions of the metrics by npm run generate.',
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-24h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        variable('job', 'label_values(audience_build_info, job)', { multi: false }),
        variable('pipeline', 'label_values(audience_runs_total{job="$job"}, pipeline)', { multi: true }),
      ],
    },
    panels,
  }
}

const DATASOURCE = { type: 'prometheus', uid: '$' + '{datasource}' }

function variable(name: string, query: string, { multi }: { multi: boolean }) {
  const all = { includeAll: multi, allValue: '.*', current: multi ? { text: 'All', value: '$__all' } : {} }
  return { name, type: 'query', datasource: DATASOURCE, query: { query, refId: name }, refresh: 2, multi, ...all }
}

/** Failures are never green and successes never red, whatever the order of the lines. */
const COLOURS = [coloured('/(failed|missed|rejected|unknown)$/', 'red'), coloured('/succeeded$/', 'green')]

function coloured(lines: string, fixedColor: string) {
  return {
    matcher: { id: 'byRegexp', options: lines },
    properties: [{ id: 'color', value: { mode: 'shades', fixedColor } }],
  }
}

function panelOf(title: string, families: readonly MetricName[]) {
  const definitions = families.map((name): MetricDefinition => METRICS[name])
  const isByOutcome = definitions.some(({ labels = {} }) => 'status' in labels || 'outcome' in labels)
  return {
    type: 'timeseries',
    title,
    description: definitions.map(({ help }) => `${help}.`).join('\n'),
    datasource: DATASOURCE,
    fieldConfig: { defaults: { unit: unitOf(families[0] ?? ''), min: 0 }, overrides: isByOutcome ? COLOURS : [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: families.map((name, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATASOURCE,
      ...queryOf(name, METRICS[name]),
      legendFormat:
        [...(families.length > 1 ? [name] : []), ...groupsOf(name, METRICS[name]).map((by) => `{{${by}}}`)].join(' ') ||
        title,
    })),
  }
}

function unitOf(name: string): string {
  if (name.endsWith('_bytes')) return 'bytes'
  return name.endsWith('_seconds') ? 's' : 'short'
}

/**
 * The labels that distinguish the lines of a family. A gauge that does not describe the state has separate lines for
 * each process.
 */
function groupsOf(name: string, { type, labels = {}, ofState }: MetricDefinition): readonly string[] {
  const own = Object.keys(labels)
  const isOfProcess = name.startsWith('process_') || (type === 'gauge' && !ofState && !own.includes('pipeline'))
  return isOfProcess ? ['instance', ...own] : own
}

function queryOf(name: string, metric: MetricDefinition): { readonly expr: string } {
  const { type, labels = {} } = metric
  const groups = groupsOf(name, metric)
  const matchers = ['job="$job"', ...('pipeline' in labels ? ['pipeline=~"$pipeline"'] : [])].join(', ')
  const by = (...all: readonly string[]) => (all.length > 0 ? ` by (${all.join(', ')}) ` : ' ')
  if (type === 'histogram') {
    const rates = `sum${by('le', ...groups)}(rate(${name}_bucket{${matchers}}[$__rate_interval]))`
    return { expr: `histogram_quantile(0.95, ${rates})` }
  }
  const series = `${name}{${matchers}}`
  // Processor time is shown as a share of time, and events as a number.
  if (name.startsWith('process_') && type === 'counter')
    return { expr: `sum${by(...groups)}(rate(${series}[$__rate_interval]))` }
  if (type === 'counter') return { expr: `sum${by(...groups)}(increase(${series}[$__rate_interval]))` }
  const values = `max${by(...groups)}(${series})`
  return { expr: /_time(stamp)?_seconds$/.test(name) ? `time() - ${values}` : values }
}
