import type { Notification } from '../core/notification.ts'
import type { NotifyRules } from '../core/notify-rule.ts'
import { utcTime } from '../core/utc-time.ts'
import type { Outbox } from '../state/outbox.ts'
import type { State } from '../state/state.ts'
import { type Changes, checkpointOf, checkpointsOf, type Now } from './changes.ts'

/** Which failures of a pipeline are told. All of it is in checkpoints, so a restart and another keeper go on with it. */
interface Repeats {
  /** What people get about a failure: the failure, or nothing for now. */
  failed(failure: Notification, changes: Changes, now: Now): Promise<Notification[]>
  /** When the pipeline failed last, if people were told of a failure since its last success. Nothing of that is told any more. */
  recovered(pipeline: string, changes: Changes): Promise<number | undefined>
  /** The pipelines that failed more often, and whose time to say so has come. */
  due(changes: Changes, now: Now): Promise<Notification[]>
}

/** When the pipeline failed last, if people know that it fails. It goes with the recovery. */
const FAILING = 'failing/'
/** When a failure of it was told last. */
const TOLD = 'told/'
/** How often it has failed since then. */
const UNTOLD = 'untold/'

export function createRepeats({
  outbox,
  rules,
  state,
}: {
  readonly outbox: Pick<Outbox, 'checkpoint' | 'checkpoints'>
  readonly rules: Pick<NotifyRules, 'repeatMs'>
  readonly state: Pick<State, 'runs'>
}): Repeats {
  const { repeatMs } = rules

  return {
    async failed(failure, changes, { nowMs, isQuiet }) {
      const { pipeline, at } = failure
      const isKept = isQuiet(pipeline)
      if (!isKept || (await checkpointOf(FAILING + pipeline, changes, outbox)) !== undefined)
        changes.set(FAILING + pipeline, at)
      if (!isKept && repeatMs === undefined) return [failure]
      if (!isKept && (await checkpointOf(TOLD + pipeline, changes, outbox)) === undefined) {
        changes.set(TOLD + pipeline, nowMs)
        return [failure]
      }
      changes.set(UNTOLD + pipeline, ((await checkpointOf(UNTOLD + pipeline, changes, outbox)) ?? 0) + 1)
      return []
    },

    async recovered(pipeline, changes) {
      const failedAt = await checkpointOf(FAILING + pipeline, changes, outbox)
      const isUntold = (await checkpointOf(UNTOLD + pipeline, changes, outbox)) !== undefined
      if (failedAt !== undefined || isUntold)
        for (const name of [FAILING, TOLD, UNTOLD]) changes.set(name + pipeline, null)
      return failedAt
    },

    async due(changes, { nowMs, isQuiet }) {
      const untold = await checkpointsOf(UNTOLD, changes, outbox)
      const made: Notification[] = []
      for (const [pipeline, count] of untold) {
        const toldAt = await checkpointOf(TOLD + pipeline, changes, outbox)
        // After a mute, and without `repeat` any more, what was kept back is told now.
        if (isQuiet(pipeline) || nowMs < (toldAt ?? 0) + (repeatMs ?? 0)) continue
        changes.set(TOLD + pipeline, nowMs)
        changes.set(UNTOLD + pipeline, null)
        const { rows } = await state.runs.page({ pipeline, status: ['failed'], limit: 1 })
        if ((await checkpointOf(FAILING + pipeline, changes, outbox)) === undefined)
          changes.set(FAILING + pipeline, rows[0]?.finishedAt ?? nowMs)
        made.push(stillFails({ pipeline, count, toldAt, at: nowMs, last: rows[0] }))
      }
      return made
    },
  }
}

function stillFails({
  pipeline,
  count,
  toldAt,
  at,
  last,
}: {
  readonly pipeline: string
  readonly count: number
  /** Undefined: nobody knows that it fails. */
  readonly toldAt: number | undefined
  readonly at: number
  readonly last: { readonly runId: string; readonly error?: { readonly message: string } } | undefined
}): Notification {
  const more = count === 1 ? 'once more' : `${count} more times`
  const title =
    toldAt === undefined
      ? `${pipeline} fails: ${count === 1 ? 'once' : `${count} times`} while it was muted`
      : `${pipeline} still fails: ${more} since ${utcTime(toldAt)}`
  return {
    key: `failure/${pipeline}/again/${toldAt ?? at}`,
    event: 'failure',
    at,
    pipeline,
    runId: last?.runId,
    page: `runs?${new URLSearchParams({ pipeline, status: 'failed' })}`,
    title,
    error: last?.error && { code: 'still-fails', message: `the last run: ${last.error.message}` },
    next: last ? [`audience runs show ${last.runId}`] : ['audience status'],
  }
}
