import { RUN_STATUSES } from '../../core/format/statuses.ts'
import { anyObject, flag, integer, list, object, text, time, wholeNumber } from '../../core/json-schema.ts'
import { actOperation, readOperation, textOrEmpty } from './api-operation.ts'
import { given, inputs } from './given.ts'
import { comparison, runDetail, runDocument, runItem, stepItem } from './run-schemas.ts'

const byId = { runId: given.runId } as const

/** The operations on runs. */
export const runOperations = {
  'runs.list': readOperation({
    path: '/runs',
    summary: 'List runs, newest first',
    description:
      'With `q` or `trigger`, a page looks at no more than 20,000 runs. So a page may be short or empty although it has `next`. The next pages look further back.',
    input: object([], {
      status: list({ enum: RUN_STATUSES }, 'Only runs with one of these statuses; may be repeated.'),
      pipeline: given.text('Only runs of this pipeline.'),
      trigger: given.text('Only runs of a trigger with this id or kind.'),
      partial: flag('Only runs that succeeded although some of their steps or items failed.'),
      error: given.text('Only failures of one kind: `error.key` of a run.'),
      q: given.text('Only runs with this in their id, pipeline, trigger label or error.'),
      from: given.time('Only runs submitted at or after this time.'),
      to: given.time('Only runs submitted before this time.'),
      cursor: given.text('`next` of the previous page.'),
      limit: given.limit(200, 50),
    }),
    output: object(['runs'], {
      runs: list(runItem, 'The runs.'),
      next: text('Where the next page begins; missing on the last page.'),
      lookedBackTo: time('With `next`: all runs that were submitted after this time have been searched.'),
    }),
  }),
  'runs.get': readOperation({
    path: '/runs/{runId}',
    summary: 'Show a run',
    input: object(['runId'], byId),
    output: runDetail,
  }),
  'runs.steps': readOperation({
    path: '/runs/{runId}/steps',
    summary: 'List the steps of a run',
    description:
      'The steps are in the order in which they began. A forEach is one step with counts. `step` lists its items, failed and waiting items first.',
    input: object(['runId'], {
      ...byId,
      step: given.text('List the items of this forEach instead of the steps.'),
      index: wholeNumber('List the steps inside this item of the forEach instead of the items.'),
      item: wholeNumber('Only the item at this position in the list of the forEach.'),
      q: given.text('Only items with this in their name, key, label or error.'),
      offset: wholeNumber('How many entries to skip at the beginning. Default: 0.'),
      limit: given.limit(1000, 100),
    }),
    output: object(['steps', 'total'], {
      steps: list(stepItem, 'The steps, or the items.'),
      total: wholeNumber('How many there are in all.'),
    }),
  }),
  'runs.document': readOperation({
    path: '/runs/{runId}/document',
    summary: 'Show the document of a run, and how it differs from the current one',
    input: object(['runId'], byId),
    output: runDocument,
  }),
  'runs.logs': readOperation({
    path: '/runs/{runId}/logs',
    summary: 'List the events of a run',
    description: 'The lines of `audience runs logs --json`.',
    input: object(['runId'], {
      ...byId,
      after: integer({ minimum: -1 }, 'Only events after this record: `last` of the previous response.'),
      limit: given.limit(1000, 500),
    }),
    output: object(['events', 'last', 'more'], {
      events: list(anyObject('An event, with at, runId, event and other fields.'), 'The events, oldest first.'),
      last: integer({ minimum: -1 }, 'The last record that was looked at.'),
      more: flag('Whether there are already more events.'),
    }),
  }),
  'runs.events': readOperation({
    path: '/runs/{runId}/events',
    summary: 'Follow the events of a run',
    description:
      'Server-sent events. Each event has the name and the content of a line of `audience runs logs --json`. Its id is the number of the record. Every 15 seconds there is a `beat` with the time. With `follow`, the response ends with `run.finished`. A client that connects again with `Last-Event-ID` misses nothing and gets nothing twice, even from another worker. 204 means that the run has ended and there are no more events.',
    stream: true,
    input: object(['runId'], {
      ...byId,
      follow: flag('Continue until the run has ended. Default: only what is recorded now.'),
      after: integer(
        { minimum: -1 },
        'Only events after this record, as in `/runs/{runId}/logs`. `Last-Event-ID` takes precedence.',
      ),
    }),
    output: {
      type: 'object',
      additionalProperties: {},
      required: ['at', 'runId', 'event'],
      properties: {
        at: time('When it happened.'),
        runId: text('The run.'),
        event: text('What happened: run.started, step.waiting and others.'),
      },
    },
  }),
  'runs.compare': readOperation({
    path: '/runs/{runId}/compare/{other}',
    summary: 'Compare two runs',
    input: object(['runId', 'other'], { ...byId, other: given.text('The id of the other run.') }),
    output: comparison,
  }),
  'runs.start': actOperation({
    path: '/runs',
    summary: 'Start a run',
    description:
      'With a header `Idempotency-Key`, a repeated request does not start another run and returns the run of the first request. The key is valid as long as that run is kept.',
    input: object(['pipeline'], { pipeline: given.pipeline, inputs, reason: given.reason }),
    output: object(['runId', 'state'], {
      runId: text('The run; with `skipped`, the run that blocks it.'),
      state: {
        enum: ['running', 'queued', 'existing', 'skipped'],
        description: '`existing`: an earlier request with this key started it. `skipped`: its group is full.',
      },
    }),
    audit: ({ pipeline }) => ({ act: 'run.start', subject: textOrEmpty(pipeline) }),
  }),
  'runs.decide': actOperation({
    path: '/runs/{runId}/decisions',
    summary: 'Decide about a step that is waiting for a person',
    description:
      'Use `approved` or `rejected` for an approval. Use `done` or `again` for a write that may or may not have happened.',
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
      subject: textOrEmpty(runId),
      detail: `${textOrEmpty(step)} ${textOrEmpty(decision)}`.trim(),
    }),
  }),
  'runs.cancel': actOperation({
    path: '/runs/{runId}/cancel',
    summary: 'Cancel a run',
    description: 'Jobs that the run started continue at the service, because there is no way to stop them.',
    input: object(['runId'], { ...byId, reason: given.reason }),
    output: object(['runId', 'jobs'], {
      runId: text('The run. The process that works on it ends it.'),
      jobs: list(text('The id of a job.'), 'Jobs that continue at the service.'),
    }),
    audit: ({ runId }) => ({ act: 'run.cancel', subject: textOrEmpty(runId) }),
  }),
  'runs.acknowledge': actOperation({
    path: '/runs/{runId}/acknowledge',
    summary: 'Acknowledge a failure',
    description:
      'Until the pipeline succeeds, its failures with this kind of error are no longer shown as new. This includes later failures.',
    input: object(['runId', 'reason'], { ...byId, reason: given.reason }),
    output: object(['run'], { run: runItem }),
    audit: ({ runId }) => ({ act: 'run.acknowledge', subject: textOrEmpty(runId) }),
  }),
  'runs.retry': actOperation({
    path: '/runs/{runId}/retry',
    summary: 'Retry an ended run, keeping its results',
    input: object(['runId'], {
      ...byId,
      from: given.text('Repeat this step and all steps that need it, even if they succeeded. Required with `today`.'),
      document: {
        enum: ['recorded', 'today'],
        description:
          'The document to use: the document of the run (`recorded`), or the current one (`today`), as `run --from --of` does. The current document is refused if it is invalid, or if the inputs of the run do not fit it. Default: recorded.',
      },
      reason: given.reason,
    }),
    output: object(['runId', 'state'], {
      runId: text('The new run; with `skipped`, the run that blocks it.'),
      state: { enum: ['running', 'queued', 'skipped'], description: '`skipped`: its group is full.' },
    }),
    audit: ({ runId }) => ({ act: 'run.retry', subject: textOrEmpty(runId) }),
  }),
} as const
