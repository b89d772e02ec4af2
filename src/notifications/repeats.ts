import { count } from '../core/format/figures.ts'
import { utcTime } from '../core/format/time-text.ts'
import type { Notification } from '../core/notification.ts'
import type { NotifyRules } from '../core/notify-rule.ts'
import type { EndedRun } from '../state/outbox.ts'
import type { State } from '../state/state.ts'
import type { Batch } from './batch.ts'
import { worksAgain } from './run-notifications.ts'

interface Failure {
  readonly notification: Notification
  /** Whether it is the failure of a dropped file. The file stays failed even if later runs succeed. */
  readonly isFile: boolean
}

/** When the pipeline last failed, if that failure was reported. Removed with the recovery. */
const FAILING = 'failing/'
/** When its last failure was reported. */
const TOLD = 'told/'
/** How often it has failed since then. */
const UNTOLD = 'untold/'
/**
 * How many of these failures were of dropped files. Another file's success does not repair them, so they are still
 * reported.
 */
const FILES = 'untoldFiles/'

/**
 * Decides which failures of a pipeline are reported. Everything is stored in checkpoints, so a restarted process or
 * another keeper can continue.
 */
export function createRepeats({
  rules: { repeatMs },
  state,
}: {
  rules: Pick<NotifyRules, 'repeatMs'>
  state: Pick<State, 'runs'>
}) {
  return {
    /** The notifications to send about a failure: the one about the failure itself, or none for now. */
    async failed({ notification, isFile }: Failure, { checkpoints, nowMs, isQuiet }: Batch): Promise<Notification[]> {
      const { pipeline, at } = notification
      const isKept = isQuiet(pipeline)
      if (!isKept || (await checkpoints.find(FAILING + pipeline)) !== undefined) checkpoints.set(FAILING + pipeline, at)
      if (!isKept && repeatMs === undefined) return [notification]
      if (!isKept && (await checkpoints.find(TOLD + pipeline)) === undefined) {
        checkpoints.set(TOLD + pipeline, nowMs)
        return [notification]
      }
      await checkpoints.countUp(UNTOLD + pipeline)
      if (isFile) await checkpoints.countUp(FILES + pipeline)
      return []
    },

    /**
     * The notification that the pipeline is working again, if a failure was reported since its last success. Files that
     * failed since then are reported first, because another file's success does not repair them. Other failures are no
     * longer reported.
     */
    async recovered(run: EndedRun, { checkpoints, isQuiet }: Batch): Promise<Notification[]> {
      const { pipeline, finishedAt: at } = run
      const failedAt = await checkpoints.find(FAILING + pipeline)
      const toldAt = await checkpoints.find(TOLD + pipeline)
      const files = await checkpoints.find(FILES + pipeline)
      if (failedAt !== undefined || (await checkpoints.find(UNTOLD + pipeline)) !== undefined)
        checkpoints.remove(FAILING + pipeline, TOLD + pipeline, UNTOLD + pipeline)
      if (failedAt === undefined) return []
      if (files === undefined || isQuiet(pipeline)) return [worksAgain(run, failedAt)]
      checkpoints.remove(FILES + pipeline)
      return [filesFailed({ pipeline, files, toldAt, at }), worksAgain(run, failedAt)]
    },

    /** The pipelines with further failures that are due to be reported. */
    async due({ checkpoints, nowMs, isQuiet }: Batch): Promise<Notification[]> {
      const untold = await checkpoints.under(UNTOLD)
      const filesOf = await checkpoints.under(FILES)
      const made: Notification[] = []
      for (const pipeline of new Set([...untold.keys(), ...filesOf.keys()])) {
        const toldAt = await checkpoints.find(TOLD + pipeline)
        // After a mute, or when `repeat` was removed, the failures that were held back are reported now.
        if (isQuiet(pipeline) || nowMs < (toldAt ?? 0) + (repeatMs ?? 0)) continue
        checkpoints.set(TOLD + pipeline, nowMs)
        checkpoints.remove(UNTOLD + pipeline, FILES + pipeline)
        const { rows } = await state.runs.page({ pipeline, status: ['failed'], limit: 1 })
        if ((await checkpoints.find(FAILING + pipeline)) === undefined)
          checkpoints.set(FAILING + pipeline, rows[0]?.finishedAt ?? nowMs)
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

function filesFailed({ pipeline, files, toldAt, at }: Told & { files: number }): Notification {
  const when = toldAt === undefined ? 'while it was muted' : `since ${utcTime(toldAt)}`
  return {
    key: `failure/${pipeline}/files/${at}`,
    event: 'failure',
    at,
    pipeline,
    page: 'files',
    title: `${count(files, toldAt === undefined ? 'file' : 'more file')} of ${pipeline} failed ${when}`,
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
  count: number
  hasFiles: boolean
  last: { runId: string; error?: { message: string } } | undefined
}): Notification {
  const more = count === 1 ? 'once more' : `${count} more times`
  const title =
    toldAt === undefined
      ? `${pipeline} failed ${count === 1 ? 'once' : `${count} times`} while it was muted`
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
