import { type ErrorKind, FOUND_EXIT_CODE, WAITS_EXIT_CODE } from '../core/errors.ts'
import type { MetricDefinition } from '../daemon/metrics/definitions.ts'
import { code, page, table } from './markdown.ts'

/** The page that lists everything that can be wrong with a pipeline document. */
export function diagnosticsPage(codes: Readonly<Record<string, string>>): string {
  return page(
    '# Diagnostics',
    [
      'This page lists what `audience validate` can find in a pipeline, by code. The command prints the code in brackets or, with',
      '`--format json`, as `code`. Each problem has a file, a line and a column, and all problems of a document are reported at once.',
    ].join('\n'),
    table(
      ['code', 'meaning'],
      Object.entries(codes)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, meaning]) => [code(name), meaning]),
    ),
  )
}

/** The page that explains the exit codes of `audience`. */
export function exitCodesPage(exitCodes: Readonly<Record<ErrorKind, number>>): string {
  const kinds = Object.keys(MEANINGS) as ErrorKind[]
  const rows = [
    ['0', 'Done.', ''],
    [String(FOUND_EXIT_CODE), ...FOUND],
    [String(WAITS_EXIT_CODE), ...WAITS],
    ...kinds.map((kind) => [String(exitCodes[kind]), ...MEANINGS[kind]]),
  ]
  return page(
    '# Exit codes',
    table(
      ['exit code', 'meaning', 'what to do'],
      rows.toSorted(([a], [b]) => Number(a) - Number(b)),
    ),
  )
}

const FOUND = [
  'What the command looks for was found: `plan --exit-code` found changes, `privacy check` found keys in a list.',
  'Read the output.',
]

const WAITS = [
  '`run --wait` or `run --no-wait`: the run goes on, and waits for a person or a partner.',
  'The last lines say for whom the run waits, how to answer, and which process is working on it.',
]

const MEANINGS = {
  failed: ['The run, or the work of the command, failed.', 'Read the message: it names the step and the request.'],
  usage: ['The command line is not correct.', 'See `audience help`.'],
  invalid: ['A pipeline or the configuration is not valid.', 'Correct what the messages point at; nothing was sent.'],
  unavailable: [
    'The service, or the database of the state, cannot be reached or refuses access.',
    'Check the address and the access token.',
  ],
  restart: [
    'This worker lost its lease in the database: other workers have taken its runs.',
    'Start it again; service managers do so automatically.',
  ],
  interrupted: ['Interrupted.', 'The run can be resumed.'],
} as const satisfies Record<ErrorKind, readonly [meaning: string, next: string]>

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
  'These are the metrics that `audience start` serves at `/metrics`. Counters count what this process did since its start; add them up',
  'over the workers of a database. Gauges of the state are read from it at every scrape, so they are the same in each worker,',
  'and include runs from before a restart.',
].join('\n')

const NOTES = [
  'The counters of a pipeline exist, with the value 0, from the moment when its document is loaded: counters of slots if it has a schedule,',
  'counters of files if it watches a folder. In one process, `pipeline` has at most 2,000 values; later pipelines count as',
  '`other`. For `other`, `audience_pipeline_loaded_timestamp_seconds` and `audience_pipeline_last_success_timestamp_seconds` show',
  'the earliest time; a pipeline that never succeeded counts from the time when it was loaded. A run that began before the last restart counts under its',
  'own pipeline, or under `unknown` if its records are gone.',
].join('\n')
