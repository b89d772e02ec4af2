import { FINAL_STATUSES, RUN_STATUSES } from '../../core/format/statuses.ts'
import { anyObject, flag, list, object, text, time, wholeNumber } from '../../core/json-schema.ts'
import { ROLES } from '../../core/role.ts'
import { blockedStep, runItem } from './run-schemas.ts'
import { comingSlot } from './trigger-schemas.ts'

export const callerOutput = object(['by', 'role', 'readOnly', 'via', 'synthetic', 'version'], {
  by: text('The name for the audit log.'),
  role: { enum: ROLES, description: 'The role of the caller.' },
  readOnly: flag('Whether this console is read-only.'),
  via: { enum: ['session', 'token', 'proxy'], description: 'How the request was admitted.' },
  service: text('The service of this daemon.'),
  synthetic: flag('Whether the people at the service are fictitious.'),
  deploys: flag('Whether its pipelines come from git. In that case, `GET /deployment` shows the deployment.'),
  version: text('The version of audience.'),
})

const wanted = object(['kind', 'runId', 'pipeline', 'reason', 'since', 'message'], {
  kind: {
    enum: ['step', 'run'],
    description: '`step`: a step is waiting for a person. `run`: a run needs attention from a person.',
  },
  runId: text('The run.'),
  pipeline: text('Its pipeline.'),
  ref: text('The step, as a decision names it.'),
  step: text('Its id in the document.'),
  index: wholeNumber('The position of the item in the list of a forEach.'),
  reason: text('approval, decision, stuck or orphaned.'),
  since: time('Since when.'),
  message: text('What a person must know.'),
})

const problem = object(['file', 'messages'], {
  file: text('The document or folder.'),
  messages: list(text('What is wrong, and where.'), 'The problems.'),
})

const check = object(['check', 'reason'], { check: text('Its name.'), reason: text('Why it fails.') })

export const overviewOutput = object(
  [
    'at',
    'needsYou',
    'blocked',
    'counts',
    'underWay',
    'failures',
    'failureGroups',
    'partnerWaits',
    'partial',
    'next',
    'paused',
    'due',
    'notReady',
    'problems',
  ],
  {
    at: time('The time of the response.'),
    needsYou: list(wanted, 'What needs attention from a person.'),
    blocked: list(blockedStep, 'Steps that are waiting for another step; at most 100.'),
    counts: object([...RUN_STATUSES, 'succeededInPart'], {
      queued: wholeNumber('How many runs are queued now.'),
      running: wholeNumber('How many runs are running now.'),
      waiting: wholeNumber('How many runs are waiting for a person now.'),
      succeeded: wholeNumber('How many runs succeeded in the last 24 hours.'),
      succeededInPart: wholeNumber('How many of the runs that succeeded had steps or items that failed.'),
      failed: wholeNumber('How many runs failed in the last 24 hours.'),
      cancelled: wholeNumber('How many runs were cancelled in the last 24 hours.'),
    }),
    underWay: list(runItem, 'Runs that are running, newest first; at most 20.'),
    failures: list(runItem, 'Failed runs of the last 24 hours, newest first; at most 5.'),
    failureGroups: list(
      object(['run', 'failures', 'firstAt', 'lastAt'], {
        run: runItem,
        failures: wholeNumber('How many runs failed like this.'),
        firstAt: time('When the first of them ended.'),
        lastAt: time('When the last of them, which is `run`, ended.'),
      }),
      'The failed runs of the last 24 hours, grouped by pipeline and kind of error. Groups that nobody has acknowledged come first, then groups with newer failures. At most 50.',
    ),
    partnerWaits: list(
      object(['runId', 'pipeline', 'ref', 'since'], {
        runId: text('Its run.'),
        pipeline: text('Its pipeline.'),
        ref: text('The step, as people write it.'),
        counterpart: text('The partner, if it is known: partner 2005 or group 3001.'),
        since: time('Since when.'),
      }),
      'Steps whose jobs are waiting for an answer from another participant, longest wait first; at most 100.',
    ),
    partial: list(
      runItem,
      'Runs of the last 24 hours that succeeded although some of their steps or items failed, newest first; at most 5.',
    ),
    next: list(comingSlot, 'The next slot of each schedule, in order; at most 50.'),
    paused: list(
      object(['pipeline', 'trigger', 'since'], {
        pipeline: text('The pipeline.'),
        trigger: text('The trigger.'),
        since: time('Since when.'),
      }),
      'Triggers that a person paused.',
    ),
    due: wholeNumber('Slots and files that are waiting for a run.'),
    notReady: list(check, 'What prevents audience start from working.'),
    problems: list(problem, 'Problems of documents.'),
  },
)

export const hours = object(['hours'], {
  hours: list(
    object(['at', ...FINAL_STATUSES, 'succeededInPart'], {
      at: time('The beginning of the hour.'),
      succeeded: wholeNumber('How many succeeded.'),
      succeededInPart: wholeNumber('How many of the runs that succeeded had steps or items that failed.'),
      failed: wholeNumber('How many failed.'),
      cancelled: wholeNumber('How many were cancelled.'),
    }),
    'Ended runs by the hour of their submission. Hours without runs are left out.',
  ),
})

export const workers = object(['workers', 'checks', 'otherServices', 'notifications', 'problems'], {
  workers: list(
    object(['name', 'host', 'pid', 'version', 'startedAt', 'runs'], {
      name: text('Its name: HOST:PID.'),
      host: text('Its machine.'),
      pid: wholeNumber('Its process.'),
      version: text('The version of audience.'),
      startedAt: time('When it started.'),
      runs: wholeNumber('How many runs it works on.'),
      keeper: flag(
        'Whether it is the keeper, which runs schedules, watches folders and notifies people. Absent if the state is a folder.',
      ),
      takes: {
        enum: ['all', 'own'],
        description: '`own`: an audience run, which works only on its own runs. Absent if the state is a folder.',
      },
      drainingSince: time('When it began to drain: it takes no new runs, and ends when its runs have ended.'),
      waits: wholeNumber('How many things its runs are waiting for, such as jobs. Only for the process that responds.'),
      stuck: list(
        text('The id of a run.'),
        'Runs that it can neither record nor resume; at most 100. Only for the process that responds.',
      ),
    }),
    'The processes that work on runs.',
  ),
  checks: list(check, 'The checks that fail.'),
  otherServices: list(
    anyObject('A service: profile, service, runs, oldestRunId.'),
    'Other services that unfinished runs belong to.',
  ),
  notifications: object(['pending', 'failed', 'mutes'], {
    pending: wholeNumber('Messages that are waiting for delivery.'),
    failed: wholeNumber('Messages that could not be delivered and are not sent again.'),
    mutes: list(
      object(['pipelines', 'since', 'until'], {
        pipelines: text('The name of a pipeline; * stands for any characters.'),
        since: time('When the mute began.'),
        until: time('Until when.'),
        by: text('Who muted it.'),
        comment: text('Why.'),
      }),
      'The active mutes.',
    ),
  }),
  problems: list(problem, 'Problems of documents.'),
})

export const auditEntry = object(['id', 'at', 'act', 'subject', 'outcome'], {
  id: wholeNumber('The id of the entry. Later entries have higher ids.'),
  at: time('When.'),
  by: text('Who.'),
  role: text('The role, in the console.'),
  address: text('The address that the request came from.'),
  act: text('The action: run.start, run.approved, schedule.pause and others.'),
  subject: text('The subject of the action: a run, or PIPELINE/TRIGGER.'),
  detail: text('The part of the subject, such as the step or the period.'),
  comment: text('Why.'),
  outcome: text('`done`, or the error code if the action was refused.'),
})
