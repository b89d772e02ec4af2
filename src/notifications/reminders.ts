import { DAY_MS } from '../core/duration.ts'
import { utcTime } from '../core/format/time-text.ts'
import type { Notification } from '../core/notification.ts'
import type { Mute } from '../state/mutes.ts'
import type { Outbox, OutboxChange } from '../state/outbox.ts'
import type { RunRow } from '../state/run-history.ts'
import { runsInPages } from '../state/runs-in-pages.ts'
import type { State } from '../state/state.ts'
import { isMuted, wasMuted } from './muted.ts'
import { type Origin, originOf } from './origin.ts'
import { createAddressing, type RecipientDeps } from './recipients.ts'
import { noteQuestions, type OpenQuestions, stepsWait } from './run-notifications.ts'

interface ReminderDeps extends RecipientDeps {
  outbox: Pick<Outbox, 'startedBy' | 'commitBatch'>
  state: Pick<State, 'runs' | 'mutes'>
}

/** How often it looks for questions. */
const LOOK_MS = 60_000
/**
 * For this long after a mute, it looks for questions that were asked during the mute, because this process may have
 * been stopped when the mute ended.
 */
const AFTER_MUTE_MS = 7 * DAY_MS
/** How many runs are read at a time. */
const PAGE = 500

/** What is known about a run that is waiting for a person, from the records that have been read. */
interface Waiting {
  readonly origin: Origin | undefined
  readonly open: OpenQuestions
  seq: number
  /** The keys of stored notifications. The outbox knows the keys of earlier processes, too. */
  readonly stored: Set<string>
}

/**
 * Repeats unanswered questions, and sends them to other people, as the routes say. After a mute, sends the questions
 * that were asked during the mute. The age of a question and the keys in the outbox show which reminders were sent, so
 * neither a restart nor another keeper repeats one.
 */
export function createReminders(deps: ReminderDeps): (nowMs: number) => Promise<void> {
  const { outbox, state } = deps
  const { addressed, routeOf } = createAddressing(deps)
  const isWanted = deps.rules.routes?.some(({ remindMs, escalate }) => remindMs !== undefined || escalate) ?? false
  let lookedAt = Number.NEGATIVE_INFINITY
  let known = new Map<string, Waiting>()

  return async (nowMs) => {
    if (nowMs - lookedAt < LOOK_MS) return
    const mutes = await state.mutes.list(nowMs - AFTER_MUTE_MS)
    lookedAt = nowMs
    if (!isWanted && mutes.length === 0) return
    const waiting = new Map<string, Waiting>()
    for await (const row of runsInPages(state.runs, { status: ['waiting'], limit: PAGE })) {
      const run = await readOn(row.runId)
      waiting.set(row.runId, run)
      if (!run.origin || isMuted(mutes, row.pipeline, nowMs)) continue
      await remind(row, { ...run, origin: run.origin }, { nowMs, mutes })
    }
    known = waiting
  }

  async function readOn(runId: string): Promise<Waiting> {
    const run = known.get(runId) ?? {
      origin: await originOf({ runId }, deps),
      open: new Map(),
      seq: -1,
      stored: new Set(),
    }
    const records = await state.runs.records(runId, run.seq < 0 ? undefined : run.seq)
    noteQuestions(run.open, records)
    run.seq = records.at(-1)?.seq ?? run.seq
    return run
  }

  async function remind(
    { runId, pipeline }: RunRow,
    { origin, open, stored }: Waiting & { origin: Origin },
    now: { nowMs: number; mutes: readonly Mute[] },
  ): Promise<void> {
    const notifications = stepsWait({ runId, pipeline, ...origin }, open)
      .flatMap((question) => reminders(question, now))
      .filter(({ notification }) => !stored.has(notification.key))
    if (notifications.length === 0) return
    await outbox.commitBatch({ events: [], notifications, checkpoints: new Map(), at: now.nowMs })
    for (const { notification } of notifications) stored.add(notification.key)
  }

  function reminders(
    question: Notification,
    { nowMs, mutes }: { nowMs: number; mutes: readonly Mute[] },
  ): OutboxChange['notifications'] {
    const { remindMs = Number.POSITIVE_INFINITY, escalate } = routeOf(question) ?? {}
    const { key, at, title } = question
    const made = [...addressed(question)]
    const [first] = made
    if (!first) return []
    const since = `, since ${utcTime(at)}`
    const times = Math.floor((nowMs - at) / remindMs)
    const reminder = { key: `${key}/reminder/${times}`, at: at + times * remindMs, title: `reminder: ${title}${since}` }
    const again =
      times < 1
        ? // A notification that was sent before has the same key, and is not sent again.
          made.filter(() => wasMuted(mutes, question, nowMs))
        : made.map(({ channel, notification }) => ({ channel, notification: { ...notification, ...reminder } }))
    if (!escalate || nowMs - at < escalate.afterMs) return again
    const escalated = {
      key: `${key}/escalated`,
      at: at + escalate.afterMs,
      title: `nobody has answered: ${title}${since}`,
    }
    const others = escalate.to.map((channel) => ({ channel, notification: { ...first.notification, ...escalated } }))
    return [...again, ...others]
  }
}
