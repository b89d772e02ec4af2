import { FILE_SIGNALS } from '../contract/enumerations.ts'
import { MAX_UPLOAD_BYTES } from '../contract/files.ts'
import { exactObject, integer, limitedList, matching, number, text } from '../core/json-schema.ts'
import { ENDS_THAT_COUNT, WEEKDAYS } from '../core/trigger.ts'
import { condition, duration, durationOr, ID_PATTERN, PIPELINE_NAME_PATTERN } from './schema-parts.ts'

export const DATE_PATTERN = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
/** A time of day. */
export const TIME_PATTERN = '^([01][0-9]|2[0-3]):[0-5][0-9]$'

/** A tag and its value. */
const TAG_PATTERN = '^[A-Za-z0-9_.:/@-]{1,128}=[A-Za-z0-9_.:/@-]{1,256}$'

export const schedule = exactObject({
  required: ['cron'],
  description: 'Starts runs at scheduled times.',
  properties: {
    cron: text(
      'When: minute, hour, day of the month, month, day of the week, such as "0 2 * * *" or "*/15 9-17 * * mon-fri". If both a day of the month and a day of the week are given, either is enough. When clocks change, fixed times run once, even those that the clock skips; an interval (* or */n in the minute or hour) follows the clock.',
    ),
    timezone: { ...text('The time zone: an IANA name, such as America/New_York.'), default: 'UTC' },
    missed: {
      enum: ['none', 'last', 'all'],
      default: 'last',
      description:
        'What happens to the times that passed while nothing ran: no run, one run for the last of them, or a run for each. Times without a run are recorded as missed. A start that is up to a minute late counts as on time.',
    },
    catchupWindow: durationOr('1d', 'How long after its scheduled time a missed run can still start.'),
    overlap: {
      enum: ['skip', 'queue', 'cancelRunning', 'allow'],
      default: 'skip',
      description:
        'What happens if the run for an earlier time of this schedule has not ended: start no run; start one when it has ended; cancel it and start one; run both.',
    },
    jitter: durationOr(
      '0s',
      'Delays the start by up to this much, so that not all runs start at once. The same slot always gets the same delay.',
    ),
    repeatedHour: {
      enum: ['once', 'twice'],
      description:
        'Whether the times of the repeated hour come once or twice when clocks go back. Default: twice for an interval (* or */n in the minute or hour), once for fixed times.',
    },
    exclude: exactObject({
      minProperties: 1,
      description: 'Days on which it does not start runs, in its time zone.',
      properties: {
        dates: limitedList({ maxItems: 1000 }, { type: 'string', pattern: DATE_PATTERN }, 'Dates, such as 2026-12-25.'),
        weekdays: limitedList({ uniqueItems: true }, { enum: WEEKDAYS }, 'Days of the week.'),
        file: text(
          'A calendar (.ics), whose events exclude every day that they touch, or a text file with one date per line and # comments; relative to this document.',
        ),
      },
    }),
    deadline: matching(
      TIME_PATTERN,
      'The time of day, in its time zone, by which a run must have ended, such as "06:00"; otherwise people get a message.',
    ),
  },
})

export const folderWatch = exactObject({
  required: ['path', 'pattern', 'done', 'failed'],
  description: 'Starts a run for every file that is dropped into a folder.',
  properties: {
    path: text('The folder, relative to this document; created if it is missing. Its subfolders are not searched.'),
    pattern: text(
      'The names of the files: "*.csv", "auto-*.{csv,txt}", "list-[0-9]?.csv". Files that begin with a dot are never taken.',
    ),
    settle: durationOr(
      '2s',
      'How long a file must stay unchanged before it is taken. With an empty file NAME.done beside it, it is taken at once.',
    ),
    done: text('The folder that files of successful runs are moved to.'),
    failed: text('The folder that other files are moved to, with the reason beside them.'),
    repeat: {
      type: 'boolean',
      default: false,
      description: 'Whether a file gets a run if its content has already had one.',
    },
    precheck: exactObject({
      minProperties: 1,
      description: 'The conditions that a file must meet to get a run; any other file goes to `failed`.',
      properties: {
        maxBytes: integer(
          { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: MAX_UPLOAD_BYTES },
          'Its size in bytes; the service takes no more than the default, 150 MB.',
        ),
        signal: { enum: FILE_SIGNALS, description: 'The signal that its rows must contain.' },
        minimumShare: number(
          { minimum: 0, maximum: 1, default: 0.9 },
          'The share of rows that must begin with a key of the signal.',
        ),
      },
    }),
  },
})

/** What happens to a file at its source. */
const act = (description: string) =>
  ({
    type: ['string', 'object'],
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
    description,
    properties: {
      move: text('The folder that it is moved to, relative to the root of the source; created if it is missing.'),
      tag: matching(
        TAG_PATTERN,
        'With s3: a tag that the file gets, such as "audience=done". The file stays where it is.',
      ),
    },
  }) as const

/** The maximum number of files in a set of a source. */
const MAX_SET_PATTERNS = 50

export const waitFor = exactObject({
  minProperties: 1,
  description:
    'With source: runs start for sets of files, once all files of a set are there. It takes either all or manifest; a run sees trigger.files instead of trigger.file.',
  properties: {
    all: limitedList(
      { minItems: 2, maxItems: MAX_SET_PATTERNS, uniqueItems: true },
      { type: 'string' },
      'Patterns with one * each: ["a_*.csv", "b_*.csv"]. Files whose names have the same text in place of the * form a set, with one file for each pattern.',
    ),
    manifest: text(
      'A pattern with one *, such as "*.done". The file x.done says that x and x.* are complete, and arrives after them. It may be empty, and no run sees it.',
    ),
    within: duration(
      'How long a set may stay incomplete after its first file arrives. After that it gets no run, its files count as failed, and people get a message. Without it, a set waits forever.',
    ),
    else: { enum: ['fail'], description: 'What happens to a set that is not complete within that time.' },
  },
})

export const remoteWatch = exactObject({
  required: ['source', 'path'],
  properties: {
    source: text('The name of a source in audience.yaml that has sftp or s3; the files are there.'),
    path: text('The folder there, with a pattern of names: "incoming/*.csv".'),
    every: durationOr('1m', 'With source: how often it is checked, from 10s to 1d.'),
    settle: durationOr('1m', 'How long a file must stay unchanged before it is taken, by the clock of this machine.'),
    done: { ...act('What happens to files of successful runs.'), default: 'keep' },
    failed: { ...act('What happens to other files.'), default: 'keep' },
    waitFor,
    repeat: folderWatch.properties.repeat,
    precheck: folderWatch.properties.precheck,
  },
})

/** The schema of a watch in documents. It covers both kinds: a watched folder and a source. */
const watch = exactObject({
  required: ['path'],
  description: 'Starts a run for every file that is dropped into a folder, or arrives at a source.',
  properties: {
    source: remoteWatch.properties.source,
    ...folderWatch.properties,
    path: text(
      'The folder, relative to this document; created if it is missing. Its subfolders are not searched. With source: the folder there, with a pattern of names: "incoming/*.csv".',
    ),
    settle: durationOr(
      '2s',
      'How long a file must stay unchanged before it is taken; with source, the default is 1m. With an empty file NAME.done beside it, a file of a folder is taken at once.',
    ),
    every: remoteWatch.properties.every,
    waitFor,
    done: {
      ...act(
        'The folder that files of successful runs are moved to. With source: keep (the default), delete, { move: FOLDER } or, with s3, { tag: "audience=done" }.',
      ),
      minLength: 1,
    },
    failed: {
      ...act(
        'The folder that other files are moved to, with the reason beside them. With source: keep (the default), { move: FOLDER } or { tag: "audience=failed" }.',
      ),
      minLength: 1,
    },
  },
  if: { required: ['source'] },
  else: {
    required: folderWatch.required,
    properties: {
      done: text(folderWatch.properties.done.description),
      failed: text(folderWatch.properties.failed.description),
    },
  },
})

/** The maximum number of pipelines in one `after`. */
const MAX_PIPELINES = 20

export const after = exactObject({
  required: ['pipelines'],
  description:
    'Starts a run when runs of other pipelines have ended. Each started run uses one ended run of each pipeline.',
  properties: {
    pipelines: limitedList(
      { minItems: 1, maxItems: MAX_PIPELINES, uniqueItems: true },
      { type: 'string', pattern: PIPELINE_NAME_PATTERN },
      'The names of the pipelines. Their runs are grouped by the slot or the file that they share, and otherwise by the order in which they end.',
    ),
    on: {
      enum: ENDS_THAT_COUNT,
      default: 'success',
      description:
        'Which ended runs count: runs that succeeded, runs that failed, or all runs, including cancelled ones.',
    },
    within: durationOr(
      '1d',
      'The other runs of a set must end within this time after the first. If one is still missing, no run starts, and people get a message.',
    ),
    missed: {
      enum: ['none', 'last', 'all'],
      default: 'all',
      description:
        'What happens to the sets that became complete while nothing ran: no run, one run for the last of them, or a run for each. Sets without a run are recorded as missed. A start that is up to a minute late counts as on time.',
    },
    catchupWindow: durationOr('1d', 'How long after a set became complete its missed run can still start.'),
  },
})

/** A trigger: it starts runs of its document. */
export const trigger = exactObject({
  required: ['id'],
  description: 'What starts runs automatically: a schedule, a watched folder, or the ends of other runs.',
  properties: {
    id: matching(ID_PATTERN, 'Its name in the history.'),
    profiles: limitedList(
      { minItems: 1, uniqueItems: true },
      { type: 'string', minLength: 1 },
      'The profiles under which it starts runs; under other profiles it is ignored, and none of its slots is missed. Default: all.',
    ),
    schedule,
    watch,
    after,
    if: condition('No run is made if this is false.'),
    inputs: {
      type: 'object',
      description:
        'Inputs of the runs that it starts. Expressions can read the trigger: trigger.file for watch (trigger.files with waitFor), trigger.date for schedule, trigger.runs.NAME.outputs for after.',
    },
  },
})
