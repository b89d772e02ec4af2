import { RUN_STATUSES } from '../../core/format/statuses.ts'
import { count, flag, list, object, record, text, time } from '../../core/schema-parts.ts'
import { apiOperation, told } from './api-operation.ts'
import { given, inputs } from './given.ts'
import { comparison, runDetail, runDocument, runItem, stepItem } from './run-schemas.ts'

const byId = { runId: given.runId } as const

/** The operations on runs. */
export const runOperations = {
  'runs.list': apiOperation({
    method: 'GET',
    path: '/runs',
    summary: 'List runs, newest first',
    description:
      'With `q` or `trigger`, a page looks at no more than 20,000 runs. So it may be short, or empty, although it has `next`: the pages after it look further back.',
    role: 'viewer',
    input: object([], {
      status: list({ enum: RUN_STATUSES }, 'Only runs with one of these statuses; may be repeated.'),
      pipeline: given.text('Only runs of this pipeline.'),
      trigger: given.text('Only runs of a trigger with this id or kind.'),
      partial: flag('Only runs that succeeded although steps or items of them failed.'),
      error: given.text('Only failures of one kind: `error.key` of a run.'),
      q: given.text('Only runs with this in their id, pipeline, trigger label or error.'),
      from: given.time('Only runs submitted at or after this time.'),
      to: given.time('Only runs submitted before this time.'),
      cursor: given.text('`next` of the page before.'),
      limit: given.limit(200, 50),
    }),
    output: object(['runs'], {
      runs: list(runItem, 'The runs.'),
      next: text('Where the next page begins; missing on the last one.'),
      lookedBackTo: time('With `next`: no run submitted after this time is left for the next page.'),
    }),
  }),
  'runs.get': apiOperation({
    method: 'GET',
    path: '/runs/{runId}',
    summary: 'Show a run',
    role: 'viewer',
    input: object(['runId'], byId),
    output: runDetail,
  }),
  'runs.steps': apiOperation({
    method: 'GET',
    path: '/runs/{runId}/steps',
    summary: 'List the steps of a run',
    description:
      'In the order in which they began. A forEach is one step with counts; with `step` its items are listed, failed and waiting ones first.',
    role: 'viewer',
    input: object(['runId'], {
      ...byId,
      step: given.text('The items of this forEach, instead of steps.'),
      index: { type: 'integer', minimum: 0, description: 'The steps inside this item of it, instead of items.' },
      item: { type: 'integer', minimum: 0, description: 'Only the item at this place of it.' },
      q: given.text('Only those with this in their name, key, label or error.'),
      offset: { type: 'integer', minimum: 0, description: 'How many to leave out at the beginning. Default: 0.' },
      limit: given.limit(1000, 100),
    }),
    output: object(['steps', 'total'], {
      steps: list(stepItem, 'The steps, or the items.'),
      total: count('How many there are in all.'),
    }),
  }),
  'runs.document': apiOperation({
    method: 'GET',
    path: '/runs/{runId}/document',
    summary: 'Show the document of a run, and how it differs from that of today',
    role: 'viewer',
    input: object(['runId'], byId),
    output: runDocument,
  }),
  'runs.logs': apiOperation({
    method: 'GET',
    path: '/runs/{runId}/logs',
    summary: 'List the events of a run',
    description: 'The lines of `audience runs logs --json`.',
    role: 'viewer',
    input: object(['runId'], {
      ...byId,
      after: {
        type: 'integer',
        minimum: -1,
        description: 'Only events after this record: `last` of the answer before.',
      },
      limit: given.limit(1000, 500),
    }),
    output: object(['events', 'last', 'more'], {
      events: list(record('An event: at, runId, event and more.'), 'The events, oldest first.'),
      last: { type: 'integer', minimum: -1, description: 'The last record that was looked at.' },
      more: flag('There are more already.'),
    }),
  }),
  'runs.events': apiOperation({
    method: 'GET',
    path: '/runs/{runId}/events',
    summary: 'Follow the events of a run',
    description:
      'Server-sent events, named as the lines of `audience runs logs --json` that they hold; the id is the number of the record. Between them a `beat` with the time every 15 seconds. With `follow` the answer ends with `run.finished`. A client that connects again with `Last-Event-ID` misses nothing and gets nothing twice, also from another worker; 204 says that the run has ended and that there is no more.',
    role: 'viewer',
    stream: true,
    input: object(['runId'], {
      ...byId,
      follow: flag('Go on until the run has ended. Default: only what is recorded now.'),
      after: {
        type: 'integer',
        minimum: -1,
        description: 'Only events after this record, as in `/runs/{runId}/logs`. `Last-Event-ID` comes first.',
      },
    }),
    output: {
      type: 'object',
      additionalProperties: {},
      required: ['at', 'runId', 'event'],
      properties: {
        at: time('When it happened.'),
        runId: text('The run.'),
        event: text('What happened: run.started, step.waiting and more.'),
      },
    },
  }),
  'runs.compare': apiOperation({
    method: 'GET',
    path: '/runs/{runId}/compare/{other}',
    summary: 'Compare two runs',
    role: 'viewer',
    input: object(['runId', 'other'], { ...byId, other: given.text('The id of the other run.') }),
    output: comparison,
  }),
  'runs.start': apiOperation({
    method: 'POST',
    path: '/runs',
    summary: 'Start a run',
    description:
      'With a header `Idempotency-Key`, a repeated request starts nothing and answers with the run of the first one. The key holds as long as that run is kept.',
    role: 'operator',
    input: object(['pipeline'], { pipeline: given.pipeline, inputs, reason: given.reason }),
    output: object(['runId', 'state'], {
      runId: text('The run; with `skipped`, the run that is in the way.'),
      state: {
        enum: ['running', 'queued', 'existing', 'skipped'],
        description: 'existing: an earlier request with this key started it. skipped: its group is full.',
      },
    }),
    audit: ({ pipeline }) => ({ act: 'run.start', subject: told(pipeline) }),
  }),
  'runs.decide': apiOperation({
    method: 'POST',
    path: '/runs/{runId}/decisions',
    summary: 'Decide about a step that waits for a person',
    description: 'approved or rejected for an approval; done or again for a write that may or may not have happened.',
    role: 'approver',
    input: object(['runId', 'step', 'decision'], {
      ...byId,
      step: given.text('The `ref` of the step: release, each[3] or audiences[seg07].upload.'),
      decision: { enum: ['approved', 'rejected', 'done', 'again'], description: 'What was decided.' },
      reason: given.reason,
    }),
    output: object(['runId'], { runId: text('The run. The process that works on it acts on the decision.') }),
    audit: ({ runId, step, decision }) => ({
      act: 'run.decide',
      subject: told(runId),
      detail: `${told(step)} ${told(decision)}`.trim(),
    }),
  }),
  'runs.cancel': apiOperation({
    method: 'POST',
    path: '/runs/{runId}/cancel',
    summary: 'Cancel a run',
    description: 'Jobs that it started go on at the service: there is no way to stop them.',
    role: 'operator',
    input: object(['runId'], { ...byId, reason: given.reason }),
    output: object(['runId', 'jobs'], {
      runId: text('The run. The process that works on it ends it.'),
      jobs: list(text('The id of a job.'), 'Jobs that go on at the service.'),
    }),
    audit: ({ runId }) => ({ act: 'run.cancel', subject: told(runId) }),
  }),
  'runs.acknowledge': apiOperation({
    method: 'POST',
    path: '/runs/{runId}/acknowledge',
    summary: 'Say that a failure was seen',
    description:
      'The failures of its pipeline with an error of its kind no longer show as new, nor do later ones. That ends when the pipeline succeeds.',
    role: 'operator',
    input: object(['runId', 'reason'], { ...byId, reason: given.reason }),
    output: object(['run'], { run: runItem }),
    audit: ({ runId }) => ({ act: 'run.acknowledge', subject: told(runId) }),
  }),
  'runs.retry': apiOperation({
    method: 'POST',
    path: '/runs/{runId}/retry',
    summary: 'Start a new run from what an ended one did',
    role: 'operator',
    input: object(['runId'], {
      ...byId,
      from: given.text('Do this step again and all that need it, even those that succeeded. Needed with `today`.'),
      document: {
        enum: ['recorded', 'today'],
        description:
          'The document to run: that of the run, or the one of today, as `run --from --of` does. It is refused if it is broken now, or if the inputs of the run do not fit it. Default: recorded.',
      },
      reason: given.reason,
    }),
    output: object(['runId', 'state'], {
      runId: text('The new run; with `skipped`, the run that is in the way.'),
      state: { enum: ['running', 'queued', 'skipped'], description: 'skipped: its group is full.' },
    }),
    audit: ({ runId }) => ({ act: 'run.retry', subject: told(runId) }),
  }),
} as const
