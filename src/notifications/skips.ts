import { DAY_MS } from '../core/duration.ts'
import { count } from '../core/format/figures.ts'
import { partnerText } from '../core/format/partner-text.ts'
import type { Notification } from '../core/notification.ts'
import type { Occurrence } from '../core/occurrence.ts'
import type { RunRow } from '../state/run-history.ts'
import type { State } from '../state/state.ts'
import type { Batch } from './batch.ts'

/** When skipped slots of a pipeline were last reported, by `PIPELINE RUN`. */
const TOLD = 'skips-told/'
/** How many have been skipped since then. */
const UNTOLD = 'skips-untold/'
/** How often it checks whether the runs are still waiting. */
const LOOK_MS = 60_000

/**
 * Reports slots that were skipped because a run is waiting for a person or a partner: the first slot immediately, later
 * ones in one message a day, and the rest when the run continues. Everything is stored in checkpoints, so a restarted
 * process or another keeper can continue.
 */
export function createSkips({ state: { runs } }: { state: Pick<State, 'runs'> }) {
  let lookedAt = Number.NEGATIVE_INFINITY
  /** The first unreported slot, by `PIPELINE RUN`. */
  const first = new Map<string, string>()

  return {
    async skipped({ pipeline, key, detail }: Occurrence, { checkpoints }: Batch): Promise<void> {
      const behind = String(detail?.behind)
      if (waitOf(await runs.find(behind)) === undefined) return
      const which = `${pipeline} ${behind}`
      if (!first.has(which)) first.set(which, key)
      await checkpoints.countUp(UNTOLD + which)
    },

    async due({ checkpoints, nowMs, isQuiet }: Batch): Promise<Notification[]> {
      const isNew = checkpoints.changes.keys().some((name) => name.startsWith(UNTOLD))
      if (!isNew && nowMs - lookedAt < LOOK_MS) return []
      lookedAt = nowMs
      const told = await checkpoints.under(TOLD)
      const untold = await checkpoints.under(UNTOLD)
      const made: Notification[] = []
      for (const name of new Set([...told.keys(), ...untold.keys()])) {
        const [pipeline = '', runId = ''] = name.split(' ')
        const [toldAt, slots] = [told.get(name), untold.get(name)]
        const wait = waitOf(await runs.find(runId))
        if (wait === undefined) checkpoints.remove(TOLD + name, UNTOLD + name)
        const isDue = wait === undefined || toldAt === undefined || nowMs >= toldAt + DAY_MS
        if (slots === undefined || isQuiet(pipeline) || !isDue) continue
        if (wait !== undefined) {
          checkpoints.set(TOLD + name, nowMs)
          checkpoints.remove(UNTOLD + name)
        }
        // During a takeover, two keepers make the same notification.
        const since = toldAt === undefined ? (first.get(name) ?? nowMs) : `after-${toldAt}`
        first.delete(name)
        const what = `${count(slots, toldAt === undefined ? 'slot' : 'more slot')} of ${pipeline} ${slots === 1 ? 'was' : 'were'} skipped`
        made.push({
          key: `skipped/${pipeline}/${runId}/${since}`,
          event: 'skipped',
          at: nowMs,
          pipeline,
          runId,
          title: `${what} ${wait === undefined ? `while run ${runId} waited` : `because run ${runId} ${wait}`}`,
          next: [`audience runs show ${runId}`],
        })
      }
      return made
    },
  }
}

/** What a run is waiting for; undefined if it is working, or has ended. */
function waitOf(run: RunRow | undefined): string | undefined {
  if (run?.status === 'waiting') return 'waits for a person'
  return run?.partnerWaits && partnerText(run.partnerWaits)
}
