import { DAY_MS } from '../core/duration.ts'
import { count } from '../core/format/figures.ts'
import { partnerText } from '../core/format/partner-text.ts'
import type { Notification } from '../core/notification.ts'
import type { Occurrence } from '../core/occurrence.ts'
import type { Outbox } from '../state/outbox.ts'
import type { RunRow } from '../state/run-history.ts'
import type { State } from '../state/state.ts'
import { type CheckpointChanges, checkpointOf, checkpointsOf, type Now } from './changes.ts'

/**
 * Reports slots that were skipped because a run is waiting for a person or a partner: the first slot at once, later
 * ones in one message a day, and the rest when the run continues. Checkpoints hold everything, so a restarted process
 * or another keeper can continue.
 */
interface Skips {
  skipped(slot: Occurrence, changes: CheckpointChanges): Promise<void>
  due(changes: CheckpointChanges, now: Now): Promise<Notification[]>
}

/** When skipped slots of a pipeline were last reported, by `PIPELINE RUN`. */
const TOLD = 'skips-told/'
/** How many have been skipped since then. */
const UNTOLD = 'skips-untold/'
/** How often it checks whether the runs are still waiting. */
const LOOK_MS = 60_000

export function createSkips({
  outbox,
  state: { runs },
}: {
  readonly outbox: Pick<Outbox, 'checkpoint' | 'checkpoints'>
  readonly state: Pick<State, 'runs'>
}): Skips {
  let lookedAt = Number.NEGATIVE_INFINITY
  /** The first unreported slot, by `PIPELINE RUN`. */
  const first = new Map<string, string>()

  return {
    async skipped({ pipeline, key, detail }, changes) {
      const behind = String(detail?.behind)
      if (waitOf(await runs.find(behind)) === undefined) return
      const which = `${pipeline} ${behind}`
      if (!first.has(which)) first.set(which, key)
      const name = UNTOLD + which
      changes.set(name, ((await checkpointOf(name, changes, outbox)) ?? 0) + 1)
    },

    async due(changes, { nowMs, isQuiet }) {
      const isNew = [...changes.keys()].some((name) => name.startsWith(UNTOLD))
      if (!isNew && nowMs - lookedAt < LOOK_MS) return []
      lookedAt = nowMs
      const told = await checkpointsOf(TOLD, changes, outbox)
      const untold = await checkpointsOf(UNTOLD, changes, outbox)
      const made: Notification[] = []
      for (const name of new Set([...told.keys(), ...untold.keys()])) {
        const [pipeline = '', runId = ''] = name.split(' ')
        const [toldAt, slots] = [told.get(name), untold.get(name)]
        const wait = waitOf(await runs.find(runId))
        if (wait === undefined) for (const prefix of [TOLD, UNTOLD]) changes.set(prefix + name, null)
        const isDue = wait === undefined || toldAt === undefined || nowMs >= toldAt + DAY_MS
        if (slots === undefined || isQuiet(pipeline) || !isDue) continue
        if (wait !== undefined) changes.set(TOLD + name, nowMs).set(UNTOLD + name, null)
        // During a takeover two keepers make the same notification.
        const since = toldAt === undefined ? (first.get(name) ?? nowMs) : `after-${toldAt}`
        first.delete(name)
        const what = `${count(slots, toldAt === undefined ? 'slot' : 'more slot')} of ${pipeline} ${slots === 1 ? 'was' : 'were'} skipped`
        made.push({
          key: `skipped/${pipeline}/${runId}/${since}`,
          event: 'skipped',
          at: nowMs,
          ...{ pipeline, runId },
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
