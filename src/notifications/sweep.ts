import type { Logger } from 'pino'
import type { Notification } from '../core/notification.ts'
import type { NotifyRule } from '../core/notify-rule.ts'
import type { Occurrence } from '../core/occurrence.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { UnattendedRun } from '../runs/unattended-runs.ts'
import type { Journal } from '../state/journal.ts'
import type { TriggerLedger } from '../state/occurrence-store.ts'
import type { Happening, Outbox } from '../state/outbox.ts'
import { channelsFor } from './channels-for.ts'
import { createLateWatch } from './late-watch.ts'
import { runLate, withoutRun } from './occurrence-notifications.ts'
import { runFailed, runUnattended, stepsWait, worksAgain } from './run-notifications.ts'

export interface SweepMeans {
  readonly outbox: Outbox
  readonly journal: Pick<Journal, 'records' | 'find'>
  readonly triggers: Pick<TriggerLedger, 'list'>
  /** The documents in use, by name; the map may change at any time. */
  readonly pipelines: ReadonlyMap<string, Pipeline>
  /** The runs that no process works on now. */
  readonly unattended: () => readonly UnattendedRun[]
  /** The names of the configured channels. */
  readonly channels: readonly string[]
  /** The rule of audience.yaml for all pipelines. */
  readonly defaults: NotifyRule
  readonly log: Pick<Logger, 'warn'>
}

/** How many happenings one transaction handles. */
const BATCH = 500
/** Name of the mark for the instant up to which deadlines have been checked. */
const LATE_MARK = 'late'
/** Name of the mark that people were notified of a failure, and when. */
const failingMark = (pipeline: string) => `failing/${pipeline}`
/** Pipelines cannot run other pipelines deeper than this. */
const MAX_DEPTH = 100

/**
 * Makes notifications from what has happened since the last call. Crash-safe: one transaction stores the notifications
 * and removes their happenings.
 */
export function createSweep(means: SweepMeans): (nowMs: number) => Promise<void> {
  const { outbox, journal, pipelines, log } = means
  const lateWatch = createLateWatch(means)
  const warned = new Set<string>()
  /** Runs whose notification is stored; the outbox knows those of earlier processes. */
  const reported = new Set<string>()

  return async (nowMs) => {
    for (;;) {
      const happenings = outbox.happenings(BATCH)
      const marks = new Map<string, number | null>()
      const made = happenings.flatMap((happening) => notificationsOf(happening, marks))
      const unattended = means.unattended().filter(({ runId }) => !reported.has(runId))
      if (happenings.length < BATCH) made.push(...lateRuns(nowMs, marks), ...unattended.map(runUnattended))
      if (happenings.length === 0 && made.length === 0 && marks.size === 0) return
      await outbox.settle({
        happenings: happenings.map(({ id }) => id),
        notifications: made.flatMap(addressed),
        marks,
        at: nowMs,
      })
      if (happenings.length < BATCH) {
        for (const { runId } of unattended) reported.add(runId)
        return
      }
    }
  }

  function notificationsOf(happening: Happening, marks: Map<string, number | null>): Notification[] {
    switch (happening.kind) {
      case 'gone':
        return []
      case 'occurrence': {
        const { occurrence } = happening
        const told = withoutRun(occurrence, pipelines.get(occurrence.pipeline))
        if (told?.event === 'failure') marks.set(failingMark(occurrence.pipeline), told.at)
        return told ? [told] : []
      }
      case 'waiting': {
        const occurrence = happening.occurrence ?? rootOf(happening.runId)
        // A person who started a run already watches it.
        return occurrence ? stepsWait({ ...happening, occurrence }, journal.records(happening.runId)) : []
      }
      case 'ended':
        return runEnded(happening, marks)
    }
  }

  function runEnded(run: Extract<Happening, { kind: 'ended' }>, marks: Map<string, number | null>): Notification[] {
    const mark = failingMark(run.pipeline)
    if (run.status === 'failed' && run.occurrence) {
      marks.set(mark, run.finishedAt)
      const last = journal.records(run.runId).at(-1)?.record
      return [runFailed(run, last?.type === 'run.finished' ? last.error : undefined)]
    }
    const failedAt = marks.has(mark) ? marks.get(mark) : outbox.mark(mark)
    if (run.status !== 'succeeded' || failedAt === undefined || failedAt === null) return []
    marks.set(mark, null)
    return [worksAgain(run, failedAt)]
  }

  /** The occurrence that started the outermost run; this run is nested in it. */
  function rootOf(runId: string): Occurrence | undefined {
    let id = runId
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const first = journal.records(id)[0]?.record
      const trigger = first?.type === 'run.submitted' ? first.trigger : {}
      if (trigger.kind !== 'run' || typeof trigger.parent !== 'string') break
      id = trigger.parent
    }
    return outbox.startedBy(id)
  }

  function lateRuns(nowMs: number, marks: Map<string, number | null>): Notification[] {
    const since = outbox.mark(LATE_MARK)
    if (since === undefined) marks.set(LATE_MARK, nowMs)
    const looked = since === undefined ? undefined : lateWatch.look(since, nowMs)
    if (!looked) return []
    marks.set(LATE_MARK, looked.untilMs)
    return looked.late.map(runLate)
  }

  function addressed(notification: Notification) {
    const { event, pipeline } = notification
    const rules = { document: pipelines.get(pipeline)?.notify, defaults: means.defaults }
    const { channels, unknown } = channelsFor(event, rules, means.channels)
    for (const channel of unknown) {
      if (warned.has(`${pipeline}/${channel}`)) continue
      warned.add(`${pipeline}/${channel}`)
      log.warn({ pipeline, channel }, 'audience.yaml has no channel of this name; nobody is told there')
    }
    return channels.map((channel) => ({ channel, notification }))
  }
}
