import { RUN_STATUSES, STEP_STATUSES } from '../../core/format/statuses.ts'
import { anyObject, anything, flag, list, number, object, text, time, wholeNumber } from '../../core/json-schema.ts'

/** Steps whose jobs are waiting for an answer from another participant. */
const partnerWaits = {
  ...object(['steps', 'partners', 'since'], {
    steps: wholeNumber('How many steps, or items, are waiting.'),
    partners: wholeNumber('How many partners they are waiting for.'),
    counterpart: text('The partner, if there is only one and it is known: partner 2005 or group 3001.'),
    since: time('When the first of them began to wait.'),
  }),
  description: 'The steps that are waiting for an answer from another participant at the service.',
}

/** Who acknowledged failures of this kind, and when. */
const acknowledged = {
  ...object(['at'], { at: time('When.'), by: text('Who.'), comment: text('Their comment.') }),
  description:
    'Set if a person has acknowledged failures of this kind, and the pipeline has not succeeded between then and the end of this run.',
}

/** A run as shown in lists. */
export const runItem = {
  ...object(['runId', 'pipeline', 'profile', 'status', 'submittedAt', 'triggerKind', 'triggerLabel'], {
    runId: text('Its id.'),
    pipeline: text('The name of its pipeline.'),
    profile: text('The profile of its service.'),
    status: {
      enum: RUN_STATUSES,
      description: 'Its status. `waiting` means that it continues only after a person decides.',
    },
    submittedAt: time('When it was submitted.'),
    beganAt: time('When it left the queue.'),
    finishedAt: time('When it ended.'),
    queuedMs: wholeNumber('How long it was in the queue; missing until it has left the queue.'),
    ranMs: wholeNumber('How long it ran, without the time in the queue; missing until it has ended.'),
    triggerKind: text('What started it: manual, schedule, watch, after or run.'),
    triggerLabel: text('Which slot, file, run or pipelines started it; empty for manual.'),
    startedBy: text('The person or program that started it.'),
    seededFrom: text('The run that it repeats.'),
    commit: text('The commit of its document. `git` of the run says whether the document differed from this commit.'),
    owner: text('The process that works on it.'),
    partnerWaits,
    error: object(['message'], {
      step: text('The step that failed.'),
      message: text('Why.'),
      key: text('A key that is the same for all failures of one kind.'),
    }),
    acknowledged,
    failures: wholeNumber('How many steps failed, although the run succeeded.'),
    failuresOf: wholeNumber('How many steps there were in all.'),
  }),
  title: 'Run',
} as const

/** A step that is waiting for another step. */
export const blockedStep = object(['runId', 'ref', 'message', 'commands'], {
  runId: text('Its run.'),
  ref: text('The step, as people write it.'),
  message: text('Which step it waits for, and why that step does not continue.'),
  commands: list(text('A command.'), 'The commands that free it, if a person must do that.'),
})

const decision = object(['decision', 'at'], {
  decision: text('approved, rejected, done or again.'),
  at: time('When.'),
  by: text('Who.'),
  comment: text('Why.'),
})

export const band = object(['low', 'median', 'high'], {
  low: number({}, 'The lower end of the band.'),
  median: number({}, 'The median of the earlier good runs.'),
  high: number({}, 'The upper end of the band.'),
})

const guard = object(['value', 'verdict'], {
  value: number({}, 'The value that it measured.'),
  verdict: text('good, held, approved, rejected, failed or warned.'),
  breach: object(['limit'], {
    limit: { enum: ['min', 'max', 'band'], description: 'The limit that the value exceeds.' },
    at: number({}, 'For min and max: the number.'),
    low: number({}, 'For a band: its lower end.'),
    median: number({}, 'For a band: the median of the earlier good runs.'),
    high: number({}, 'For a band: its upper end.'),
  }),
  band,
  learnedFrom: list(text('The id of a run.'), 'The good runs that it learned from, newest first.'),
})

export const stepRequest = object(['operation', 'at', 'method', 'path'], {
  operation: text('The operation of the service.'),
  at: time('When it was recorded, right before it was sent.'),
  method: text('Its HTTP method.'),
  path: text('Its path below the base URL of the service, with its query.'),
  body: text('Its JSON body, with personal data masked; at most 8,000 characters.'),
})

/** A step of a run, or one item of a forEach. */
export const stepItem = {
  ...object(['ref', 'step', 'status', 'startedAt', 'attempts', 'jobs', 'effects', 'decisions'], {
    ref: text('The step as people write it and as a decision names it: release, each[3] or audiences[seg07].upload.'),
    step: text('Its id in the document.'),
    index: wholeNumber('For an item of a forEach: its position in the list.'),
    key: text('For an item of a forEach: its key, if the forEach gives keys.'),
    block: text('For a step inside a forEach: the id of the forEach.'),
    label: text('For an item of a forEach: the name that people see.'),
    items: object(['total', 'succeeded', 'failed', 'waiting', 'running'], {
      total: wholeNumber('How many items it has.'),
      succeeded: wholeNumber('How many succeeded, or were skipped.'),
      failed: wholeNumber('How many failed, or were cancelled.'),
      waiting: wholeNumber('How many are waiting for a person.'),
      running: wholeNumber('How many are running.'),
    }),
    status: { enum: STEP_STATUSES, description: 'Its status.' },
    startedAt: time('When its first attempt began.'),
    finishedAt: time('When it ended.'),
    durationMs: wholeNumber('How long it took, if it has ended.'),
    waitsFor: { enum: ['approval', 'decision'], description: 'What a person must decide.' },
    blocked: {
      ...object(['thing', 'runId', 'step'], {
        thing: text('The resource at the service that both steps work on.'),
        runId: text('The run of the other step.'),
        step: text('The other step, as people write it.'),
      }),
      description: 'The step that it is waiting for, in this run or another one.',
    },
    partnerWaits,
    attempts: list(
      object(['attempt', 'startedAt'], {
        attempt: wholeNumber('Its number.'),
        startedAt: time('When it began.'),
        retryAt: time('When the next one starts.'),
        error: anyObject('Why it failed: code, kind, message, hint.'),
      }),
      'Its attempts.',
    ),
    jobs: list(
      object(['jobId', 'status', 'at'], {
        jobId: text('The id of the job.'),
        status: text('The status of the job.'),
        at: time('When.'),
      }),
      'The statuses of its jobs at the service.',
    ),
    effects: list(object(['name', 'at'], { name: text('Its name.'), at: time('When.') }), 'What it recorded.'),
    decisions: list(decision, 'What people decided.'),
    approval: object([], {
      approvers: list(text('A name.'), 'Who may decide. If missing, anybody with the role.'),
      notBy: list(text('A name.'), 'Who may not decide, because they had a part in starting the run.'),
      needsComment: flag('Whether a decision needs a reason.'),
      waitsUntil: time('When it fails if nobody decides.'),
    }),
    mayNotDecide: {
      enum: ['not-an-approver', 'not-among-approvers', 'own-run'],
      description:
        'For a step that is waiting: why the caller may not decide; missing if the caller may decide. The caller does not have the role approver, is not among approvers, or had a part in starting the run.',
    },
    guard,
    request: stepRequest,
    followedBy: list(
      text('The id of a step.'),
      'For a step that is waiting: the steps that begin only after it, in the order of the document.',
    ),
    outputs: anything('Its outputs.'),
    error: anyObject('Why it failed or is waiting: code, kind, message, hint.'),
    keptFrom: text('The earlier run that did this step. This run did not do it again.'),
  }),
  title: 'Step',
} as const

export const runDetail = {
  ...object(['run', 'inputs', 'trigger', 'file', 'digest', 'documentChanged', 'waits', 'blocked', 'jobsUnderWay'], {
    run: runItem,
    file: text('The path of its document.'),
    digest: text('SHA-256 of its document.'),
    documentChanged: flag('Whether the current document differs or is gone.'),
    git: object(['commit', 'dirty'], {
      commit: text('The commit of the document.'),
      dirty: flag('Whether the document differed from the commit.'),
    }),
    service: text('The base URL of its service, or `embedded:` and a folder.'),
    inputs: anyObject('Its inputs.'),
    variables: anyObject('The values of the variables of its document, once they are computed.'),
    trigger: anyObject('What started it, as in the expression root trigger.'),
    queued: object([], { group: text('The group that is full.'), behind: text('The run that blocks this run.') }),
    lastRun: text('The run that `last` means in this run.'),
    lastGood: text(
      'The run to compare it with: the run that `last` means or, if there is none, the newest earlier run of its pipeline at its service that succeeded.',
    ),
    waits: list(stepItem, 'The steps that are waiting for a person; at most 100.'),
    blocked: list(blockedStep, 'The steps that are waiting for another step; at most 100.'),
    jobsUnderWay: list(text('The id of a job.'), 'Jobs that continue at the service if the run is cancelled.'),
    outputs: anyObject('Its outputs.'),
    error: anyObject('Why it failed: code, kind, message, hint, step.'),
    cancelled: object(['at'], { at: time('When.'), by: text('Who.'), comment: text('Why.') }),
  }),
  title: 'RunDetail',
} as const

export const diff = list(
  object(['kind', 'text'], {
    kind: {
      enum: ['same', 'removed', 'added'],
      description: 'Whether both texts have the line (same), only the first (removed) or only the second (added).',
    },
    text: text('The line.'),
    before: wholeNumber('Its number in the first text.'),
    after: wholeNumber('Its number in the second text.'),
  }),
  'The lines that differ, with three lines around them. A gap in the line numbers means that lines are left out.',
)

export const graphStep = object(['id', 'uses', 'needs', 'section', 'line'], {
  id: text('Its id.'),
  name: text('The name that people see.'),
  uses: text('Its step type, or forEach if it runs several steps.'),
  block: text('For a step inside a forEach: the id of the forEach.'),
  needs: list(text('The id of a step.'), 'The steps that must end first.'),
  forEach: flag('Whether it has items.'),
  section: { enum: ['steps', 'onFailure', 'finally'], description: 'The section of the document that it is in.' },
  line: wholeNumber('Its line in the document.'),
})

export const runDocument = object(['text', 'digest', 'file', 'steps'], {
  text: text('The document as the run keeps it.'),
  digest: text('SHA-256 of the document.'),
  file: text('Its path.'),
  steps: list(graphStep, 'Its steps, in order.'),
  today: object(['digest', 'diff'], { digest: text('SHA-256 of the current document.'), diff }),
})

export const comparison = object(['a', 'b', 'inputs', 'document', 'figures', 'durations'], {
  a: runItem,
  b: runItem,
  inputs: list(
    object(['name', 'same'], {
      name: text('The name of the input.'),
      a: anything('Its value in the first run.'),
      b: anything('Its value in the second run.'),
      same: flag('Whether both are equal.'),
    }),
    'The inputs of both.',
  ),
  document: object(['same', 'diff'], {
    same: flag('Whether both ran the same text.'),
    diff,
  }),
  figures: list(
    object(['step', 'name'], {
      step: text('The step that has this output.'),
      name: text('Its name.'),
      a: number({}, 'In the first run.'),
      b: number({}, 'In the second run.'),
    }),
    'The numbers in the outputs of steps.',
  ),
  durations: list(
    object(['step'], {
      step: text('The step.'),
      a: wholeNumber('In the first run, in milliseconds.'),
      b: wholeNumber('In the second run, in milliseconds.'),
    }),
    'How long the steps took.',
  ),
})
