import { count, flag, list, noFields, object, record, text, time } from '../../core/schema-parts.ts'
import { apiOperation, type Fields, told } from './api-operation.ts'
import { deploymentOperations } from './deployment-operations.ts'
import { given, inputs } from './given.ts'
import { figures, pipelineDetail, pipelineItem } from './pipeline-schemas.ts'
import { runOperations } from './run-operations.ts'
import { serviceOperations } from './service-operations.ts'
import { auditEntry, hours, me, overview, workers } from './system-schemas.ts'
import { afterItem, comingSlot, fileItem, folderItem, scheduleItem, slotItem } from './trigger-schemas.ts'

const byTrigger = { pipeline: given.pipeline, trigger: given.trigger } as const
const period = {
  from: given.time('Only those at or after this time.'),
  to: given.time('Only those before this time.'),
  limit: given.limit(2000, 100),
} as const
const hasOlder = { type: 'boolean', description: 'There are older ones in the period.' } as const
const fileName = { type: 'string', minLength: 1, maxLength: 200, description: 'The name of the file.' } as const
const done = object([], {})
const triggerOf = ({ pipeline, trigger }: Fields) => `${told(pipeline)}/${told(trigger)}`

/** Every operation of the API, by its id. The ids are those of the OpenAPI file. */
export const apiOperations = {
  'overview.get': apiOperation({
    method: 'GET',
    path: '/overview',
    summary: 'Show what needs a person, and how the runs are going',
    role: 'viewer',
    input: noFields,
    output: overview,
  }),
  'me.get': apiOperation({
    method: 'GET',
    path: '/me',
    summary: 'Show who is asking, and what they may do',
    role: 'viewer',
    input: noFields,
    output: me,
  }),
  ...runOperations,
  'hours.list': apiOperation({
    method: 'GET',
    path: '/hours',
    summary: 'Count runs by the hour',
    description: 'By hour and not by day, because a day begins at another time in each zone.',
    role: 'viewer',
    input: object(['from', 'to'], {
      from: given.time('The first time.'),
      to: given.time('The end; at most 400 days later.'),
      pipeline: given.pipeline,
    }),
    output: hours,
  }),
  'pipelines.list': apiOperation({
    method: 'GET',
    path: '/pipelines',
    summary: 'List the pipelines',
    role: 'viewer',
    input: noFields,
    output: object(['pipelines'], { pipelines: list(pipelineItem, 'By name.') }),
  }),
  'pipelines.get': apiOperation({
    method: 'GET',
    path: '/pipelines/{pipeline}',
    summary: 'Show a pipeline: its document, inputs and steps',
    role: 'viewer',
    input: object(['pipeline'], { pipeline: given.pipeline }),
    output: pipelineDetail,
  }),
  'pipelines.figures': apiOperation({
    method: 'GET',
    path: '/pipelines/{pipeline}/figures',
    summary: 'List the numbers in the outputs of the steps of a pipeline, with what was expected',
    description:
      'The band is the median of the 14 good runs before, ± the larger of 3 × 1.4826 × MAD and 20 %; from the eighth good run on. A value that a guard measures has the band that the guard had learned by then.',
    role: 'viewer',
    input: object(['pipeline'], {
      pipeline: given.pipeline,
      step: given.text('Only those of this step.'),
      name: given.text('Only those with this name.'),
      limit: given.limit(400, 60),
    }),
    output: figures,
  }),
  'slots.list': apiOperation({
    method: 'GET',
    path: '/slots',
    summary: 'List the schedules, what became of their slots, and what comes',
    role: 'viewer',
    input: object([], { pipeline: given.pipeline, trigger: given.trigger, ...period }),
    output: object(['schedules', 'after', 'slots', 'hasOlder', 'coming', 'hasLater'], {
      schedules: list(scheduleItem, 'The schedules, by name.'),
      after: list(afterItem, 'What comes after other pipelines, by name.'),
      slots: list(slotItem, 'Past slots, and sets of ended runs, newest first.'),
      hasOlder,
      coming: list(comingSlot, 'Coming slots before `to`, in order; those of paused schedules are left out.'),
      hasLater: { type: 'boolean', description: 'There are later ones before `to`.' },
    }),
  }),
  'files.list': apiOperation({
    method: 'GET',
    path: '/files',
    summary: 'List the watched folders, and what became of their files',
    role: 'viewer',
    input: object([], { pipeline: given.pipeline, trigger: given.trigger, ...period }),
    output: object(['folders', 'files', 'hasOlder'], {
      folders: list(folderItem, 'The watched folders, by name.'),
      files: list(fileItem, 'Files, newest first.'),
      hasOlder,
    }),
  }),
  'audit.list': apiOperation({
    method: 'GET',
    path: '/audit',
    summary: 'List who did what, newest first',
    role: 'viewer',
    input: object([], {
      subject: given.text('Only what was done to this: a run, or PIPELINE/TRIGGER.'),
      by: given.text('Only what this person or token did.'),
      before: { type: 'integer', minimum: 0, description: 'Only entries before this id: `next` of the page before.' },
      limit: given.limit(500, 100),
    }),
    output: object(['entries'], {
      entries: list(auditEntry, 'The entries.'),
      next: count('Give it as `before` for the next page; missing on the last one.'),
    }),
  }),
  'workers.list': apiOperation({
    method: 'GET',
    path: '/workers',
    summary: 'List the processes that work on runs, and what is wrong with them',
    role: 'viewer',
    input: noFields,
    output: workers,
  }),
  'workers.drain': apiOperation({
    method: 'POST',
    path: '/workers/{worker}/drain',
    summary: 'Let a worker take nothing new, and end when its runs have',
    description:
      'Runs that only wait go to other workers. Refused with 409 if no other worker takes runs. A worker that drains already goes on draining.',
    role: 'operator',
    input: object(['worker'], {
      worker: given.text('Its name, HOST:PID, or its host if one worker is there.'),
      reason: given.reason,
    }),
    output: object(['name', 'drainingSince'], {
      name: text('Its name: HOST:PID.'),
      drainingSince: time('Since when.'),
    }),
    audit: ({ worker }) => ({ act: 'worker.drain', subject: told(worker) }),
  }),
  'workers.undrain': apiOperation({
    method: 'POST',
    path: '/workers/{worker}/undrain',
    summary: 'Let a worker that drains take runs again',
    role: 'operator',
    input: object(['worker'], {
      worker: given.text('Its name, HOST:PID, or its host if one worker is there.'),
      reason: given.reason,
    }),
    output: object(['name'], { name: text('Its name: HOST:PID.') }),
    audit: ({ worker }) => ({ act: 'worker.undrain', subject: told(worker) }),
  }),
  'plan.make': apiOperation({
    method: 'POST',
    path: '/plan',
    summary: 'Show what a run would do now, and change nothing',
    role: 'operator',
    input: object(['pipeline'], { pipeline: given.pipeline, inputs }),
    output: object(['summary', 'changes', 'fails', 'steps'], {
      summary: record('How many steps would do what, by the action.'),
      changes: flag('A run would change something, or only the run can say.'),
      fails: flag('A step would fail.'),
      steps: list(record('As `audience plan --format json` has them.'), 'The steps.'),
      lastRun: text('The last successful run, which `last` would mean.'),
    }),
  }),
  'mutes.add': apiOperation({
    method: 'POST',
    path: '/mutes',
    summary: 'Send no messages about a pipeline for a time',
    description:
      'Only a recovery from a failure that was reported before is reported. What still fails or waits at the end is reported then. It takes the place of a mute with the same `pipelines`. `GET /workers` lists the mutes.',
    role: 'operator',
    input: object(['pipelines', 'until'], {
      pipelines: given.text('The name of a pipeline; * stands for any characters.'),
      until: given.time('Until when, at most 31 days.'),
      reason: given.reason,
    }),
    output: object(['until'], { until: time('Until when.') }),
    audit: ({ pipelines }) => ({ act: 'notify.mute', subject: told(pipelines) }),
  }),
  'mutes.end': apiOperation({
    method: 'POST',
    path: '/mutes/end',
    summary: 'End a mute early',
    role: 'operator',
    input: object(['pipelines'], { pipelines: given.text('As the mute has it.'), reason: given.reason }),
    output: object(['ended'], { ended: flag('False if there was none.') }),
    audit: ({ pipelines }) => ({ act: 'notify.unmute', subject: told(pipelines) }),
  }),
  'schedules.pause': apiOperation({
    method: 'POST',
    path: '/schedules/{pipeline}/{trigger}/pause',
    summary: 'Pause a trigger',
    description: 'Slots are skipped, and files wait, until it is resumed. A trigger that is paused stays paused.',
    role: 'operator',
    input: object(['pipeline', 'trigger'], { ...byTrigger, reason: given.reason }),
    output: object(['pausedSince'], { pausedSince: time('Since when it is paused.') }),
    audit: (input) => ({ act: 'schedule.pause', subject: triggerOf(input) }),
  }),
  'schedules.resume': apiOperation({
    method: 'POST',
    path: '/schedules/{pipeline}/{trigger}/resume',
    summary: 'Resume a paused trigger',
    role: 'operator',
    input: object(['pipeline', 'trigger'], { ...byTrigger, reason: given.reason }),
    output: object(['skipped'], { skipped: count('Slots that were skipped while nothing ran.') }),
    audit: (input) => ({ act: 'schedule.resume', subject: triggerOf(input) }),
  }),
  'schedules.backfill': apiOperation({
    method: 'POST',
    path: '/schedules/{pipeline}/{trigger}/backfill',
    summary: 'Run the slots of a period again',
    role: 'operator',
    input: object(['pipeline', 'trigger', 'from', 'to'], {
      ...byTrigger,
      from: given.time('The first time.'),
      to: given.time('The end; a slot at this time is not included.'),
      onlyMissing: flag('Only slots without a run.'),
      dryRun: flag('Only say what would become due.'),
      reason: given.reason,
    }),
    output: object(['slots', 'count', 'waiting', 'ran', 'excluded'], {
      slots: list(time('The time of a slot.'), 'The slots that are due now, or would be; at most 1000.'),
      count: count('How many those are.'),
      waiting: count('Slots that were due already.'),
      ran: count('Slots that have a run and get no other.'),
      excluded: count('Slots on excluded days: they never run.'),
    }),
    audit: (input) => ({ act: 'schedule.backfill', subject: triggerOf(input) }),
  }),
  'schedules.withdraw': apiOperation({
    method: 'POST',
    path: '/schedules/{pipeline}/{trigger}/withdraw',
    summary: 'Skip the slots of a period that are due: undo a backfill',
    description: 'Slots that have a run keep it.',
    role: 'operator',
    input: object(['pipeline', 'trigger', 'from', 'to'], {
      ...byTrigger,
      from: given.time('The first time.'),
      to: given.time('The end; a slot at this time is not included.'),
      dryRun: flag('Only say what would be skipped.'),
      reason: given.reason,
    }),
    output: object(['slots', 'count'], {
      slots: list(time('The time of a slot.'), 'The slots that will not run, newest first; at most 1000.'),
      count: count('How many those are.'),
    }),
    audit: (input) => ({ act: 'schedule.withdraw', subject: triggerOf(input) }),
  }),
  'files.upload': apiOperation({
    method: 'POST',
    path: '/files/{pipeline}/{trigger}',
    summary: 'Upload a file into a watched folder',
    description:
      'The body is the file, with the type application/octet-stream. The trigger takes it as one that was dropped there.',
    role: 'operator',
    upload: true,
    input: object(['pipeline', 'trigger', 'name'], {
      ...byTrigger,
      name: fileName,
      reason: given.reason,
    }),
    output: object(['file', 'size'], { file: text('Its path.'), size: count('In bytes.') }),
    audit: (input) => ({ act: 'file.upload', subject: triggerOf(input), detail: told(input.name) }),
  }),
  'files.retry': apiOperation({
    method: 'POST',
    path: '/files/{pipeline}/{trigger}/retry',
    summary: 'Drop a file again that is in `failed`',
    description: 'It is moved back into the watched folder, and gets another run, also if its run failed.',
    role: 'operator',
    input: object(['pipeline', 'trigger', 'key'], {
      ...byTrigger,
      key: given.text('The `key` of the file, as files.list has it.'),
      reason: given.reason,
    }),
    output: object(['file'], { file: text('Its path in the watched folder.') }),
    audit: (input) => ({ act: 'file.retry', subject: triggerOf(input), detail: told(input.key) }),
  }),
  'uploads.add': apiOperation({
    method: 'POST',
    path: '/pipelines/{pipeline}/uploads',
    summary: 'Upload a file for an input of a run',
    description:
      'The body is the file, with the type application/octet-stream. The answer has the path to give as the input. The file is kept as long as runs are.',
    role: 'operator',
    upload: true,
    input: object(['pipeline', 'name'], { pipeline: given.pipeline, name: fileName }),
    output: object(['file', 'size'], { file: text('Its path.'), size: count('In bytes.') }),
    audit: ({ pipeline, name }) => ({ act: 'input.upload', subject: told(pipeline), detail: told(name) }),
  }),
  ...deploymentOperations,
  ...serviceOperations,
  'session.end': apiOperation({
    method: 'POST',
    path: '/logout',
    summary: 'End the session of this browser, or all sessions of this person',
    role: 'viewer',
    input: object([], {
      everywhere: flag('All sessions that this person has begun, in any browser.'),
      reason: given.reason,
    }),
    output: done,
    audit: () => ({ act: 'console.logout', subject: 'console' }),
  }),
} as const

export type ApiOperations = typeof apiOperations
export type ApiOperationId = keyof ApiOperations
