import { OCCURRENCE_OUTCOMES, OCCURRENCE_STATES } from '../../core/format/statuses.ts'
import { flag, list, object, text, time, wholeNumber } from '../../core/json-schema.ts'
import { ENDS_THAT_COUNT } from '../../core/trigger.ts'

const triggerRef = { pipeline: text('The name of the pipeline.'), trigger: text('The id of the trigger.') } as const
const became = {
  state: {
    enum: OCCURRENCE_STATES,
    description: 'The outcome. `ran`: it has a run, no matter how that run ends. `failed`: no run could be made.',
  },
  outcome: {
    enum: OCCURRENCE_OUTCOMES,
    description:
      'The state. If the occurrence ran, this is the status of its run: `partial` means that items failed, and `ran` that the run is no longer in the history.',
  },
} as const

export const slotItem = object(['pipeline', 'trigger', 'key', 'at', 'state', 'outcome'], {
  ...triggerRef,
  key: text('A key that no other occurrence of the trigger has.'),
  at: time('The time of the slot.'),
  local: text('The same time in the time zone of its schedule: 2026-11-22 02:00 -05:00.'),
  timezone: text('The time zone of its schedule.'),
  ...became,
  reason: text('Why it has no run.'),
  runId: text('Its run.'),
})

export const comingSlot = object(['pipeline', 'trigger', 'at', 'startsAt', 'local', 'timezone'], {
  ...triggerRef,
  at: time('The time of the slot.'),
  startsAt: time('When its run starts. This is later than the slot if the schedule has a jitter.'),
  local: text('The time of the slot in the time zone of its schedule: 2026-11-22 02:00 -05:00.'),
  timezone: text('The time zone of its schedule.'),
})

export const scheduleItem = object(['pipeline', 'trigger', 'cron', 'timezone', 'due'], {
  ...triggerRef,
  cron: text('Its five fields.'),
  timezone: text('Its time zone.'),
  pausedSince: time('When a person paused it. A paused schedule has no upcoming slots.'),
  next: comingSlot,
  last: slotItem,
  due: wholeNumber('How many slots are waiting for a run.'),
})

export const removedScheduleItem = object(['pipeline', 'trigger', 'due', 'firstAt', 'lastAt', 'message'], {
  ...triggerRef,
  due: wholeNumber('How many slots are waiting for a run.'),
  firstAt: time('The first of these slots.'),
  lastAt: time('The last of these slots.'),
  message: text('Why nothing runs them.'),
})

const endedRun = object(['pipeline', 'runId'], { pipeline: text('Its pipeline.'), runId: text('The run.') })

export const afterItem = object(['pipeline', 'trigger', 'after', 'on', 'waiting', 'due'], {
  ...triggerRef,
  after: list(text('The name of a pipeline.'), 'The pipelines that it comes after.'),
  on: { enum: ENDS_THAT_COUNT, description: 'Which outcomes of their runs count.' },
  pausedSince: time('When a person paused it.'),
  waiting: list(
    object(['runs', 'lacking', 'until'], {
      runs: list(endedRun, 'The runs that have ended.'),
      lacking: list(text('The name of a pipeline.'), 'The pipelines whose runs are missing.'),
      until: time('When the wait ends.'),
    }),
    'Ended runs that are waiting for runs of other pipelines, oldest first.',
  ),
  last: slotItem,
  due: wholeNumber('How many sets are waiting for a run.'),
})

export const folderItem = object(['pipeline', 'trigger', 'path', 'pattern', 'open', 'ignored'], {
  ...triggerRef,
  path: text('The absolute path of the watched folder.'),
  pattern: text('The pattern for the names of the files.'),
  pausedSince: time('When a person paused it.'),
  open: wholeNumber('How many files are in progress.'),
  ignored: list(
    object(['file', 'reason'], { file: text('Its path.'), reason: text('Why it cannot be taken.') }),
    'Files that cannot be taken; at most 20.',
  ),
})

export const fileItem = object(['pipeline', 'trigger', 'key', 'at', 'state', 'outcome', 'open', 'canRetry'], {
  ...triggerRef,
  key: text('A key that no other occurrence of the trigger has.'),
  at: time('When it was found.'),
  name: text('Its name.'),
  file: text('Where it was.'),
  size: wholeNumber('The size in bytes.'),
  sameAs: text(
    'An earlier file with the same content. In that case, this file gets no run, and `runId` is the run of the earlier file.',
  ),
  ...became,
  open: flag('Whether the file is not yet in `done` or `failed`.'),
  canRetry: flag('Whether the file is in `failed`. files.retry puts it back into its folder.'),
  reason: text('Why it has no run.'),
  runId: text('Its run.'),
})
