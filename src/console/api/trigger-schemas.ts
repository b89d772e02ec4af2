import { count, list, object, text, time } from '../../core/schema-parts.ts'

const triggerRef = { pipeline: text('The name of the pipeline.'), trigger: text('The id of the trigger.') } as const
const OCCURRENCE_STATES = ['due', 'ran', 'skipped', 'missed', 'failed'] as const

export const slotItem = object(['pipeline', 'trigger', 'key', 'at', 'state'], {
  ...triggerRef,
  key: text('Tells it from every other one of the trigger.'),
  at: time('The time of the slot.'),
  local: text('The same by the clock of its schedule: 2026-11-22 02:00 -05:00.'),
  timezone: text('The time zone of its schedule.'),
  state: { enum: OCCURRENCE_STATES, description: 'What became of it.' },
  reason: text('Why it has no run.'),
  runId: text('Its run.'),
})

export const comingSlot = object(['pipeline', 'trigger', 'at', 'startsAt', 'local', 'timezone', 'paused'], {
  ...triggerRef,
  at: time('The time of the slot.'),
  startsAt: time('When its run starts: later if the schedule has a jitter.'),
  local: text('By the clock of its schedule: 2026-11-22 02:00 -05:00.'),
  timezone: text('The time zone of its schedule.'),
  paused: { type: 'boolean', description: 'A person paused the schedule: it will be skipped.' },
})

export const scheduleItem = object(['pipeline', 'trigger', 'cron', 'timezone', 'due'], {
  ...triggerRef,
  cron: text('Its five fields.'),
  timezone: text('Its time zone.'),
  pausedSince: time('When a person paused it.'),
  next: comingSlot,
  last: slotItem,
  due: count('How many slots wait for a run.'),
})

export const folderItem = object(['pipeline', 'trigger', 'path', 'pattern', 'open', 'ignored'], {
  ...triggerRef,
  path: text('The absolute path of the watched folder.'),
  pattern: text('The names of the files.'),
  pausedSince: time('When a person paused it.'),
  open: count('Files in progress.'),
  ignored: list(
    object(['file', 'reason'], { file: text('Its path.'), reason: text('Why it cannot be taken.') }),
    'Files that cannot be taken; at most 20.',
  ),
})

export const fileItem = object(['pipeline', 'trigger', 'key', 'at', 'state', 'open', 'canRetry'], {
  ...triggerRef,
  key: text('Tells it from every other one of the trigger.'),
  at: time('When it was found.'),
  name: text('Its name.'),
  file: text('Where it was.'),
  size: count('In bytes.'),
  state: { enum: OCCURRENCE_STATES, description: 'What became of it.' },
  open: { type: 'boolean', description: 'It is not yet in `done` or `failed`.' },
  canRetry: { type: 'boolean', description: 'It is in `failed` and had no run: files.retry drops it again.' },
  reason: text('Why it has no run.'),
  runId: text('Its run.'),
})
