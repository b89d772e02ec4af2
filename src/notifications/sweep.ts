import type { Notification } from '../core/notification.ts'
import type { Occurrence } from '../core/occurrence.ts'
import type { StoredRecord } from '../core/run.ts'
import type { UnattendedRun } from '../runs/unattended-runs.ts'
import type { Outbox, OutboxEvent } from '../state/outbox.ts'
import type { State } from '../state/state.ts'
import { createLateWatch } from './late-watch.ts'
import { runLate, withoutRun } from './occurrence-notifications.ts'
import { createAddressing, type RecipientDeps } from './recipients.ts'
import { guardsWarned, runFailed, runPartlyFailed, runUnattended, stepsWait, worksAgain } from './run-notifications.ts'

type Ended = Extract<OutboxEvent, { kind: 'ended' }>

/** What started a run that people are told of: an occurrence, or somebody through the API. */
interface Origin {
  readonly occurrence?: Occurrence | undefined
}

export interface SweepDeps extends RecipientDeps {
  readonly outbox: Outbox
  readonly state: Pick<State, 'runs' | 'occurrences'>
  /** The runs that no process works on now. */
  readonly unattended: () => readonly UnattendedRun[]
}

/** How many events one transaction handles. */
const BATCH = 500
/** Name of the checkpoint for the instant up to which deadlines have been checked. */
const LATE_CHECKPOINT = 'late'
/** Name of the checkpoint that people were notified of a failure, and when. */
const failingCheckpoint = (pipeline: string) => `failing/${pipeline}`
/** Pipelines cannot run other pipelines deeper than this. */
const MAX_DEPTH = 100

/**
 * Makes notifications from what has happened since the last call. Crash-safe: one transaction stores the notifications
 * and removes their events.
 */
export function createSweep(deps: SweepDeps): (nowMs: number) => Promise<void> {
  const { outbox, pipelines } = deps
  const { runs } = deps.state
  const lateWatch = createLateWatch(deps)
  const addressed = createAddressing(deps)
  /** Runs whose notification is stored; the outbox knows those of earlier processes. */
  const reported = new Set<string>()

  return async (nowMs) => {
    for (;;) {
      const events = await outbox.events(BATCH)
      const checkpoints = new Map<string, number | null>()
      const made: Notification[] = []
      for (const event of events) made.push(...(await notificationsOf(event, checkpoints)))
      const unattended = deps.unattended().filter(({ runId }) => !reported.has(runId))
      if (events.length < BATCH) made.push(...(await lateRuns(nowMs, checkpoints)), ...unattended.map(runUnattended))
      if (events.length === 0 && made.length === 0 && checkpoints.size === 0) return
      await outbox.commitBatch({
        events: events.map(({ id }) => id),
        notifications: made.flatMap(addressed),
        checkpoints,
        at: nowMs,
      })
      if (events.length < BATCH) {
        for (const { runId } of unattended) reported.add(runId)
        return
      }
    }
  }

  async function notificationsOf(event: OutboxEvent, checkpoints: Map<string, number | null>): Promise<Notification[]> {
    switch (event.kind) {
      case 'gone':
        return []
      case 'occurrence': {
        const { occurrence } = event
        const told = withoutRun(occurrence, pipelines.get(occurrence.pipeline))
        if (told?.event === 'failure') checkpoints.set(failingCheckpoint(occurrence.pipeline), told.at)
        return told ? [told] : []
      }
      case 'waiting': {
        const origin = await originOf(event)
        return origin ? stepsWait({ ...event, ...origin }, await runs.records(event.runId)) : []
      }
      case 'ended': {
        const records = await runs.records(event.runId)
        return [...(await warningOf(event, records)), ...(await runEnded(event, records, checkpoints))]
      }
    }
  }

  async function warningOf(run: Ended, records: readonly StoredRecord[]): Promise<Notification[]> {
    const warning = guardsWarned(run, records)
    const origin = warning && (await originOf(run))
    return origin ? [{ ...warning, trigger: origin.occurrence?.trigger }] : []
  }

  async function runEnded(
    run: Ended,
    records: readonly StoredRecord[],
    checkpoints: Map<string, number | null>,
  ): Promise<Notification[]> {
    const checkpoint = failingCheckpoint(run.pipeline)
    const isTold = run.occurrence !== undefined || isByApi(records[0])
    if (run.status === 'failed' && isTold) {
      checkpoints.set(checkpoint, run.finishedAt)
      const last = records.at(-1)?.record
      return [runFailed(run, last?.type === 'run.finished' ? last.error : undefined)]
    }
    const partial = isTold && run.failures !== undefined ? [runPartlyFailed(run, records)] : []
    const failedAt = checkpoints.has(checkpoint) ? checkpoints.get(checkpoint) : await outbox.checkpoint(checkpoint)
    if (run.status !== 'succeeded' || failedAt === undefined || failedAt === null) return partial
    checkpoints.set(checkpoint, null)
    return [...partial, worksAgain(run, failedAt)]
  }

  /**
   * What started the outermost run, which this run is nested in; undefined if a person at a terminal did, who watches
   * it.
   */
  async function originOf({ runId, occurrence }: Origin & { readonly runId: string }): Promise<Origin | undefined> {
    if (occurrence) return { occurrence }
    let id = runId
    let [first] = await runs.records(id)
    for (let depth = 0; depth < MAX_DEPTH && first?.record.type === 'run.submitted'; depth++) {
      const { kind, parent } = first.record.trigger
      if (kind !== 'run' || typeof parent !== 'string') break
      id = parent
      first = (await runs.records(id))[0]
    }
    const root = await outbox.startedBy(id)
    return root || isByApi(first) ? { occurrence: root } : undefined
  }

  async function lateRuns(nowMs: number, checkpoints: Map<string, number | null>): Promise<Notification[]> {
    const since = await outbox.checkpoint(LATE_CHECKPOINT)
    if (since === undefined) checkpoints.set(LATE_CHECKPOINT, nowMs)
    const looked = since === undefined ? undefined : await lateWatch.look(since, nowMs)
    if (!looked) return []
    checkpoints.set(LATE_CHECKPOINT, looked.untilMs)
    return looked.late.map(runLate)
  }
}

function isByApi(first: StoredRecord | undefined): boolean {
  return first?.record.type === 'run.submitted' && first.record.via === 'api'
}
