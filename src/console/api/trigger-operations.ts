import { flag, list, object, text, time, wholeNumber } from '../../core/json-schema.ts'
import { actOperation, type Fields, textOrEmpty } from './api-operation.ts'
import { given } from './given.ts'

const byTrigger = { pipeline: given.pipeline, trigger: given.trigger } as const
const period = {
  from: given.time('The first time.'),
  to: given.time('The end; a slot at this time is not included.'),
} as const
const fileName = { type: 'string', minLength: 1, maxLength: 200, description: 'The name of the file.' } as const
const triggerOf = ({ pipeline, trigger }: Fields) => `${textOrEmpty(pipeline)}/${textOrEmpty(trigger)}`

/** The operations on triggers, and on files for triggers. */
export const triggerOperations = {
  'schedules.pause': actOperation({
    path: '/schedules/{pipeline}/{trigger}/pause',
    summary: 'Pause a trigger',
    description: 'Until it is resumed, slots are skipped and files wait. If it is already paused, nothing changes.',
    input: object(['pipeline', 'trigger'], { ...byTrigger, reason: given.reason }),
    output: object(['pausedSince'], { pausedSince: time('When it was paused.') }),
    audit: (input) => ({ act: 'schedule.pause', subject: triggerOf(input) }),
  }),
  'schedules.resume': actOperation({
    path: '/schedules/{pipeline}/{trigger}/resume',
    summary: 'Resume a paused trigger',
    input: object(['pipeline', 'trigger'], { ...byTrigger, reason: given.reason }),
    output: object(['skipped'], { skipped: wholeNumber('How many slots were skipped while it was paused.') }),
    audit: (input) => ({ act: 'schedule.resume', subject: triggerOf(input) }),
  }),
  'schedules.backfill': actOperation({
    path: '/schedules/{pipeline}/{trigger}/backfill',
    summary: 'Run the slots of a period again',
    input: object(['pipeline', 'trigger', 'from', 'to'], {
      ...byTrigger,
      ...period,
      onlyMissing: flag('Only slots without a run.'),
      dryRun: flag('Only show what would become due.'),
      reason: given.reason,
    }),
    output: object(['slots', 'count', 'waiting', 'ran', 'excluded', 'taken'], {
      slots: list(time('The time of a slot.'), 'The slots that are due now, or would be; at most 1000.'),
      count: wholeNumber('The number of these slots.'),
      waiting: wholeNumber('How many slots were already due.'),
      ran: wholeNumber('How many slots have a run and do not get another one.'),
      excluded: wholeNumber('How many slots are on excluded days and never run.'),
      taken: wholeNumber(
        'How many slots another process took at the same moment. They stay as that process left them.',
      ),
    }),
    audit: (input) => ({ act: 'schedule.backfill', subject: triggerOf(input) }),
  }),
  'schedules.withdraw': actOperation({
    path: '/schedules/{pipeline}/{trigger}/withdraw',
    summary: 'Undo a backfill: skip the slots of a period that are due',
    description: 'Slots that have a run keep the run.',
    input: object(['pipeline', 'trigger', 'from', 'to'], {
      ...byTrigger,
      ...period,
      dryRun: flag('Only show what would be skipped.'),
      reason: given.reason,
    }),
    output: object(['slots', 'count'], {
      slots: list(time('The time of a slot.'), 'The slots that will not run, newest first; at most 1000.'),
      count: wholeNumber('The number of these slots.'),
    }),
    audit: (input) => ({ act: 'schedule.withdraw', subject: triggerOf(input) }),
  }),
  'files.upload': actOperation({
    path: '/files/{pipeline}/{trigger}',
    summary: 'Upload a file into a watched folder',
    description:
      'The body is the file, with the type application/octet-stream. The trigger treats it like a file that was dropped into the folder.',
    upload: true,
    input: object(['pipeline', 'trigger', 'name'], {
      ...byTrigger,
      name: fileName,
      reason: given.reason,
    }),
    output: object(['file', 'size'], { file: text('Its path.'), size: wholeNumber('The size in bytes.') }),
    audit: (input) => ({ act: 'file.upload', subject: triggerOf(input), detail: textOrEmpty(input.name) }),
  }),
  'files.retry': actOperation({
    path: '/files/{pipeline}/{trigger}/retry',
    summary: 'Move a file from `failed` back into the watched folder',
    description: 'The file is moved back into the watched folder and gets another run, even if its run failed.',
    input: object(['pipeline', 'trigger', 'key'], {
      ...byTrigger,
      key: given.text('The `key` of the file, as files.list gives it.'),
      reason: given.reason,
    }),
    output: object(['file'], {
      file: text('Its path in the watched folder; SOURCE:PATH if the folder is at a source.'),
    }),
    audit: (input) => ({ act: 'file.retry', subject: triggerOf(input), detail: textOrEmpty(input.key) }),
  }),
  'uploads.add': actOperation({
    path: '/pipelines/{pipeline}/uploads',
    summary: 'Upload a file for an input of a run',
    description:
      'The body is the file, with the type application/octet-stream. The response contains the path to use as the input. The file is kept as long as runs are kept.',
    upload: true,
    input: object(['pipeline', 'name'], { pipeline: given.pipeline, name: fileName }),
    output: object(['file', 'size'], { file: text('Its path.'), size: wholeNumber('The size in bytes.') }),
    audit: ({ pipeline, name }) => ({ act: 'input.upload', subject: textOrEmpty(pipeline), detail: textOrEmpty(name) }),
  }),
} as const
