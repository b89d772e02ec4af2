import type { Notification } from '../core/notification.ts'
import type { WaitReason } from '../core/run.ts'
import type { Outbox } from '../state/outbox.ts'
import type { RunRow } from '../state/run-history.ts'
import type { State } from '../state/state.ts'
import { type CheckpointChanges, checkpointsOf } from './changes.ts'
import { noteQuestions } from './run-notifications.ts'

/**
 * Reports that a pipeline has no open question any more, for channels that close what they have opened. Checkpoints
 * hold the pipelines that have asked questions, so a restarted process or another keeper can continue.
 */
interface Answers {
  asked(question: Notification, changes: CheckpointChanges): void
  due(changes: CheckpointChanges, nowMs: number): Promise<Notification[]>
}

/** When a pipeline last asked a question, by `REASON/PIPELINE`. */
const ASKED = 'asked/'
const LOOK_MS = 60_000
const PAGE = 500

export function createAnswers({
  outbox,
  state: { runs },
}: {
  readonly outbox: Pick<Outbox, 'checkpoints'>
  readonly state: Pick<State, 'runs'>
}): Answers {
  let lookedAt = Number.NEGATIVE_INFINITY

  async function isOpen(reason: WaitReason, pipeline: string): Promise<boolean> {
    let after: RunRow | undefined
    do {
      const { rows } = await runs.page({ pipeline, status: ['waiting'], limit: PAGE, after })
      for (const { runId } of rows) {
        const open = noteQuestions(new Map(), await runs.records(runId))
        if ([...open.values()].some(({ record }) => record.reason === reason)) return true
      }
      after = rows.length < PAGE ? undefined : rows.at(-1)
    } while (after)
    return false
  }

  return {
    asked: ({ event, pipeline, at }, changes) => void changes.set(`${ASKED}${event}/${pipeline}`, at),

    async due(changes, nowMs) {
      if (nowMs - lookedAt < LOOK_MS) return []
      lookedAt = nowMs
      const made: Notification[] = []
      for (const [name, askedAt] of await checkpointsOf(ASKED, changes, outbox)) {
        const [reason, pipeline] = name.split('/') as [WaitReason, string]
        if (await isOpen(reason, pipeline)) continue
        changes.set(ASKED + name, null)
        const title = `${pipeline} no longer waits for ${reason === 'approval' ? 'an approval' : 'a decision'}`
        made.push({
          key: `answered/${name}/${askedAt}`,
          event: 'answered',
          ends: reason,
          at: nowMs,
          pipeline,
          title,
          next: [],
        })
      }
      return made
    },
  }
}
