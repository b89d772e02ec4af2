import type { Notification } from '../core/notification.ts'
import type { WaitReason } from '../core/run.ts'
import { runsInPages } from '../state/runs-in-pages.ts'
import type { State } from '../state/state.ts'
import type { Batch } from './batch.ts'
import { noteQuestions } from './run-notifications.ts'

/** When a pipeline last asked a question, by `REASON/PIPELINE`. */
const ASKED = 'asked/'
const LOOK_MS = 60_000
const PAGE = 500

/**
 * Reports that a pipeline no longer has an open question, for channels that close what they have opened. Checkpoints
 * record which pipelines have asked questions, so a restarted process or another keeper can continue.
 */
export function createAnswers({ state: { runs } }: { state: Pick<State, 'runs'> }) {
  let lookedAt = Number.NEGATIVE_INFINITY

  async function isOpen(reason: WaitReason, pipeline: string): Promise<boolean> {
    for await (const { runId } of runsInPages(runs, { pipeline, status: ['waiting'], limit: PAGE })) {
      const open = noteQuestions(new Map(), await runs.records(runId))
      if (open.values().some(({ record }) => record.reason === reason)) return true
    }
    return false
  }

  return {
    asked({ event, pipeline, at }: Notification, { checkpoints }: Batch): void {
      checkpoints.set(`${ASKED}${event}/${pipeline}`, at)
    },

    async due({ checkpoints, nowMs }: Batch): Promise<Notification[]> {
      if (nowMs - lookedAt < LOOK_MS) return []
      lookedAt = nowMs
      const made: Notification[] = []
      for (const [name, askedAt] of await checkpoints.under(ASKED)) {
        const [reason, pipeline] = name.split('/') as [WaitReason, string]
        if (await isOpen(reason, pipeline)) continue
        checkpoints.remove(ASKED + name)
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
