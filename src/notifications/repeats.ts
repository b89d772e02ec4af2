import type { Notification } from '../core/notification.ts'
import type { NotifyRules } from '../core/notify-rule.ts'
import { utcTime } from '../core/utc-time.ts'
import type { Outbox, OutboxEvent } from '../state/outbox.ts'
import type { State } from '../state/state.ts'
import { type CheckpointChanges, checkpointOf, checkpointsOf, type Now } from './changes.ts'
import { worksAgain } from './run-notifications.ts'

/**
 * Decides which failures of a pipeline are reported. Checkpoints hold everything, so a restarted process or another
 * keeper can continue.
 */
interface Repeats {
  /** The notifications to send about a failure: the one about the failure itself, or none for now. */
  failed(failure: Failure, changes: CheckpointChanges, now: Now): Promise<Notification[]>
  /**
   * The notification that the pipeline is working again, if a failure was reported since its last success. Files that
   * failed since then are reported first, because another file's success does not repair them. Other failures are no
   * longer reported.
   */
  recovered(run: Ended, changes: CheckpointChanges, now: Now): Promise<Notification[]>
  /** The pipelines with further failures that are due to be reported. */
  due(changes: CheckpointChanges, now: Now): Promise<Notification[]>
}

type Ended = Extract<OutboxEvent, { kind: 'ended' }>

interface Failure {
  readonly notification: Notification
  /** The failure of a dropped file, which stays failed whatever succeeds after it. */
  readonly isFile: boolean
}

/** When the pipeline last failed, if that failure was reported. Removed with the recovery. */
const FAILING = 'failing/'
/** When its last failure was reported. */
const TOLD = 'told/'
/** How often it has failed since then. */
const UNTOLD = 'untold/'
/** How many of these are files; a success leaves them unreported. */
const FILES = 'untoldFiles/'

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

  async function oneMore(name: string, changes: CheckpointChanges): Promise<void> {
    changes.set(name, ((await checkpointOf(name, changes, outbox)) ?? 0) + 1)
  }

  return {
    async failed({ notification, isFile }, changes, { nowMs, isQuiet }) {
      const { pipeline, at } = notification
      const isKept = isQuiet(pipeline)
      if (!isKept || (await checkpointOf(FAILING + pipeline, changes, outbox)) !== undefined)
        changes.set(FAILING + pipeline, at)
      if (!isKept && repeatMs === undefined) return [notification]
      if (!isKept && (await checkpointOf(TOLD + pipeline, changes, outbox)) === undefined) {
        changes.set(TOLD + pipeline, nowMs)
        return [notification]
      }
      await oneMore(UNTOLD + pipeline, changes)
      if (isFile) await oneMore(FILES + pipeline, changes)
      return []
    },

    async recovered(run, changes, { isQuiet }) {
      const { pipeline, finishedAt: at } = run
      const failedAt = await checkpointOf(FAILING + pipeline, changes, outbox)
      const toldAt = await checkpointOf(TOLD + pipeline, changes, outbox)
      const files = await checkpointOf(FILES + pipeline, changes, outbox)
      if (failedAt !== undefined || (await checkpointOf(UNTOLD + pipeline, changes, outbox)) !== undefined)
        for (const name of [FAILING, TOLD, UNTOLD]) changes.set(name + pipeline, null)
      if (failedAt === undefined) return []
      if (files === undefined || isQuiet(pipeline)) return [worksAgain(run, failedAt)]
      changes.set(FILES + pipeline, null)
      return [filesFailed({ pipeline, files, toldAt, at }), worksAgain(run, failedAt)]
    },

    async due(changes, { nowMs, isQuiet }) {
      const untold = await checkpointsOf(UNTOLD, changes, outbox)
      const filesOf = await checkpointsOf(FILES, changes, outbox)
      const made: Notification[] = []
      for (const pipeline of new Set([...untold.keys(), ...filesOf.keys()])) {
        const toldAt = await checkpointOf(TOLD + pipeline, changes, outbox)
        // After a mute, or when `repeat` was removed, the failures that were held back are reported now.
        if (isQuiet(pipeline) || nowMs < (toldAt ?? 0) + (repeatMs ?? 0)) continue
        changes.set(TOLD + pipeline, nowMs)
        for (const name of [UNTOLD, FILES]) changes.set(name + pipeline, null)
        const { rows } = await state.runs.page({ pipeline, status: ['failed'], limit: 1 })
        if ((await checkpointOf(FAILING + pipeline, changes, outbox)) === undefined)
          changes.set(FAILING + pipeline, rows[0]?.finishedAt ?? nowMs)
        const [count, files] = [untold.get(pipeline), filesOf.get(pipeline)]
        const facts = { pipeline, toldAt, at: nowMs }
        made.push(
          count === undefined
            ? filesFailed({ ...facts, files: files ?? 0 })
            : stillFails({ ...facts, count, last: rows[0], hasFiles: files !== undefined }),
        )
      }
      return made
    },
  }
}

interface Told {
  readonly pipeline: string
  /** Undefined if no failure was reported. */
  readonly toldAt: number | undefined
  readonly at: number
}

function filesFailed({ pipeline, files, toldAt, at }: Told & { readonly files: number }): Notification {
  const more = toldAt === undefined ? '' : ' more'
  const when = toldAt === undefined ? 'while it was muted' : `since ${utcTime(toldAt)}`
  return {
    key: `failure/${pipeline}/files/${at}`,
    event: 'failure',
    at,
    pipeline,
    page: 'files',
    title: `${files}${more} ${files === 1 ? 'file' : 'files'} of ${pipeline} failed ${when}`,
    next: ['audience files list'],
  }
}

function stillFails({
  pipeline,
  count,
  toldAt,
  at,
  last,
  hasFiles,
}: Told & {
  readonly count: number
  readonly hasFiles: boolean
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
    next: [last ? `audience runs show ${last.runId}` : 'audience status', ...(hasFiles ? ['audience files list'] : [])],
  }
}
