import {
  anyObject,
  flag,
  list,
  noFields,
  object,
  text,
  time,
  type ValueOf,
  wholeNumber,
} from '../../core/json-schema.ts'
import { actOperation, readOperation, textOrEmpty } from './api-operation.ts'
import { deploymentOperations } from './deployment-operations.ts'
import { given, inputs } from './given.ts'
import { figures, pipelineDetail, pipelineItem } from './pipeline-schemas.ts'
import { runOperations } from './run-operations.ts'
import { serviceOperations } from './service-operations.ts'
import { auditEntry, callerOutput, hours, overviewOutput, workers } from './system-schemas.ts'
import { triggerOperations } from './trigger-operations.ts'
import {
  afterItem,
  comingSlot,
  fileItem,
  folderItem,
  removedScheduleItem,
  scheduleItem,
  slotItem,
} from './trigger-schemas.ts'

const period = {
  from: given.time('Only entries at or after this time.'),
  to: given.time('Only entries before this time.'),
  limit: given.limit(2000, 100),
} as const
const hasOlder = flag('Whether there are older entries in the period.')
const oneWorker = object(['worker'], {
  worker: given.text('The name of the worker, HOST:PID, or its host if only one worker runs there.'),
  reason: given.reason,
})

/** The path of the API, below the path of the console. */
export const API_PATH = 'api/v1'

/** Every operation of the API, by its id. The ids are those of the OpenAPI file. */
export const apiOperations = {
  'overview.get': readOperation({
    path: '/overview',
    summary: 'Show what needs attention from a person, and how the runs are going',
    input: noFields,
    output: overviewOutput,
  }),
  'me.get': readOperation({
    path: '/me',
    summary: 'Show who the caller is, and what the caller may do',
    input: noFields,
    output: callerOutput,
  }),
  ...runOperations,
  'hours.list': readOperation({
    path: '/hours',
    summary: 'Count runs by hour',
    description: 'Counts are by hour and not by day, because a day begins at a different time in each time zone.',
    input: object(['from', 'to'], {
      from: given.time('The first time.'),
      to: given.time('The end; at most 400 days later.'),
      pipeline: given.pipeline,
    }),
    output: hours,
  }),
  'pipelines.list': readOperation({
    path: '/pipelines',
    summary: 'List the pipelines',
    input: noFields,
    output: object(['pipelines'], { pipelines: list(pipelineItem, 'By name.') }),
  }),
  'pipelines.get': readOperation({
    path: '/pipelines/{pipeline}',
    summary: 'Show a pipeline: its document, inputs and steps',
    input: object(['pipeline'], { pipeline: given.pipeline }),
    output: pipelineDetail,
  }),
  'pipelines.figures': readOperation({
    path: '/pipelines/{pipeline}/figures',
    summary: 'List the numbers in the step outputs of a pipeline, with the ranges that were expected',
    description:
      'From the eighth good run on, the band is the median of up to 14 earlier good runs ± the larger of 3 × 1.4826 × MAD and 20 %. A value that a guard measures has the band that the guard had learned by then.',
    input: object(['pipeline'], {
      pipeline: given.pipeline,
      step: given.text('Only numbers of this step.'),
      name: given.text('Only numbers with this name.'),
      limit: given.limit(400, 60),
    }),
    output: figures,
  }),
  'slots.list': readOperation({
    path: '/slots',
    summary: 'List the schedules, the outcomes of their slots, and the upcoming slots',
    input: object([], { pipeline: given.pipeline, trigger: given.trigger, ...period }),
    output: object(['schedules', 'after', 'removed', 'slots', 'hasOlder', 'coming', 'hasLater'], {
      schedules: list(scheduleItem, 'The schedules, by name.'),
      after: list(afterItem, 'The triggers that start runs after other pipelines, by name.'),
      removed: list(
        removedScheduleItem,
        'Schedules that are no longer in any document but still have slots that are due, by name. schedules.withdraw skips these slots.',
      ),
      slots: list(slotItem, 'Past slots, and sets of ended runs, newest first.'),
      hasOlder,
      coming: list(comingSlot, 'Upcoming slots before `to`, in order. Slots of paused schedules are left out.'),
      hasLater: flag('Whether there are later slots before `to`.'),
    }),
  }),
  'files.list': readOperation({
    path: '/files',
    summary: 'List the watched folders, and the outcomes of their files',
    input: object([], { pipeline: given.pipeline, trigger: given.trigger, ...period }),
    output: object(['folders', 'files', 'hasOlder'], {
      folders: list(folderItem, 'The watched folders, by name.'),
      files: list(fileItem, 'Files, newest first.'),
      hasOlder,
    }),
  }),
  'audit.list': readOperation({
    path: '/audit',
    summary: 'List who did what, newest first',
    input: object([], {
      subject: given.text('Only entries about this subject: a run, or PIPELINE/TRIGGER.'),
      by: given.text('Only what this person or token did.'),
      before: wholeNumber('Only entries before this id: `next` of the previous page.'),
      limit: given.limit(500, 100),
    }),
    output: object(['entries'], {
      entries: list(auditEntry, 'The entries.'),
      next: wholeNumber('The value of `before` for the next page; missing on the last page.'),
    }),
  }),
  'workers.list': readOperation({
    path: '/workers',
    summary: 'List the processes that work on runs, and what is wrong with them',
    input: noFields,
    output: workers,
  }),
  'workers.drain': actOperation({
    path: '/workers/{worker}/drain',
    summary: 'Drain a worker: it takes no new runs and ends when its runs have ended',
    description:
      'Runs that only wait go to other workers. Refused with 409 if no other worker takes runs. If the worker is already draining, nothing changes.',
    input: oneWorker,
    output: object(['name', 'drainingSince'], {
      name: text('Its name: HOST:PID.'),
      drainingSince: time('Since when.'),
    }),
    audit: ({ worker }) => ({ act: 'worker.drain', subject: textOrEmpty(worker) }),
  }),
  'workers.undrain': actOperation({
    path: '/workers/{worker}/undrain',
    summary: 'Let a draining worker take runs again',
    input: oneWorker,
    output: object(['name'], { name: text('Its name: HOST:PID.') }),
    audit: ({ worker }) => ({ act: 'worker.undrain', subject: textOrEmpty(worker) }),
  }),
  'plan.make': actOperation({
    path: '/plan',
    summary: 'Show what a run would do now, and change nothing',
    input: object(['pipeline'], { pipeline: given.pipeline, inputs }),
    output: object(['summary', 'changes', 'fails', 'steps'], {
      summary: anyObject('How many steps would do each action.'),
      changes: flag('Whether a run would or might change something.'),
      fails: flag('Whether a step would fail.'),
      steps: list(anyObject('A step, as in `audience plan --format json`.'), 'The steps.'),
      lastRun: text('The last successful run. `last` would mean this run.'),
    }),
  }),
  'mutes.add': actOperation({
    path: '/mutes',
    summary: 'Send no messages about a pipeline for a limited time',
    description:
      'During the mute, people get messages only about recoveries from failures that were reported before it. At the end, everything that still fails or waits is reported. A new mute replaces a mute with the same `pipelines`. `GET /workers` lists the mutes.',
    input: object(['pipelines', 'until'], {
      pipelines: given.text('The name of a pipeline; * stands for any characters.'),
      until: given.time('When the mute ends; at most 31 days from now.'),
      reason: given.reason,
    }),
    output: object(['until'], { until: time('Until when.') }),
    audit: ({ pipelines }) => ({ act: 'notify.mute', subject: textOrEmpty(pipelines) }),
  }),
  'mutes.end': actOperation({
    path: '/mutes/end',
    summary: 'End a mute early',
    input: object(['pipelines'], { pipelines: given.text('The same text as in the mute.'), reason: given.reason }),
    output: object(['ended'], { ended: flag('Whether there was a mute.') }),
    audit: ({ pipelines }) => ({ act: 'notify.unmute', subject: textOrEmpty(pipelines) }),
  }),
  ...triggerOperations,
  ...deploymentOperations,
  ...serviceOperations,
  'session.end': actOperation({
    path: '/logout',
    summary: 'End the session of this browser, or all sessions of this person',
    role: 'viewer',
    input: object([], {
      everywhere: flag('End all sessions of this person, in every browser.'),
      reason: given.reason,
    }),
    output: noFields,
    audit: () => ({ act: 'console.logout', subject: 'console' }),
  }),
} as const

export type ApiOperations = typeof apiOperations
export type ApiOperationId = keyof ApiOperations
export type ApiInputOf<Id extends ApiOperationId> = ValueOf<ApiOperations[Id]['input']>
export type ApiAnswerOf<Id extends ApiOperationId> = ValueOf<ApiOperations[Id]['output']>
