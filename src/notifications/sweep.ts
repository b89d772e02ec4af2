import type { Notification } from '../core/notification.ts'
import type { StoredRecord } from '../core/run.ts'
import type { UnattendedRun } from '../runs/unattended-runs.ts'
import type { DeploymentNews } from '../state/deployments.ts'
import type { Outbox, OutboxEvent } from '../state/outbox.ts'
import type { PartnerWait } from '../state/run-history.ts'
import type { State } from '../state/state.ts'
import { createAnswers } from './answers.ts'
import type { CheckpointChanges, Now } from './changes.ts'
import { createLateWatch } from './late-watch.ts'
import { isMuted } from './muted.ts'
import { isOfFile, runLate, withoutRun } from './occurrence-notifications.ts'
import { createOptOuts } from './opt-outs.ts'
import { isUnwatched, originOf } from './origin.ts'
import { createAddressing, type RecipientDeps } from './recipients.ts'
import { createRepeats } from './repeats.ts'
import {
  guardsWarned,
  noteQuestions,
  partnerWaits,
  runFailed,
  runPartlyFailed,
  runUnattended,
  stepsWait,
} from './run-notifications.ts'
import { createSkips } from './skips.ts'
import { createSourceTroubles } from './source-troubles.ts'
import { createSummaries } from './summary.ts'

type Ended = Extract<OutboxEvent, { kind: 'ended' }>

export interface SweepDeps extends RecipientDeps {
  readonly outbox: Outbox
  readonly state: Pick<State, 'runs' | 'occurrences' | 'mutes' | 'remote'>
  /** The runs that no process is working on now. */
  readonly unattended: () => readonly UnattendedRun[]
  readonly optOuts: Parameters<typeof createOptOuts>[0]['optOuts']
}

/** How many events one transaction handles. */
const BATCH = 500
/** Name of the checkpoint for the instant up to which deadlines have been checked. */
const LATE_CHECKPOINT = 'late'

/**
 * Makes notifications from everything that has happened since the last call. It survives a crash: one transaction
 * stores the notifications and removes their events.
 */
export function createSweep(deps: SweepDeps): (nowMs: number) => Promise<void> {
  const { outbox, pipelines } = deps
  const { runs } = deps.state
  const lateWatch = createLateWatch(deps)
  const { addressed } = createAddressing(deps)
  const repeats = createRepeats(deps)
  const skips = createSkips(deps)
  const answers = createAnswers(deps)
  const optOuts = createOptOuts(deps)
  const sources = createSourceTroubles(deps)
  const summaries = createSummaries(deps)
  /** Runs whose notification is stored; the outbox knows those of earlier processes. */
  const reported = new Set<string>()

  return async (nowMs) => {
    const mutes = await deps.state.mutes.list(nowMs)
    const isQuiet = (pipeline: string) => isMuted(mutes, pipeline, nowMs)
    for (;;) {
      const events = await outbox.events(BATCH)
      const checkpoints = new Map<string, number | null>()
      const made: Notification[] = []
      for (const event of events) made.push(...(await notificationsOf(event, checkpoints, { nowMs, isQuiet })))
      // A problem that outlasts a mute is reported when the mute ends.
      const unattended = deps.unattended().filter(({ runId, pipeline }) => !reported.has(runId) && !isQuiet(pipeline))
      const waits = events.length < BATCH ? (await longWaits(nowMs)).filter(({ pipeline }) => !isQuiet(pipeline)) : []
      for (const wait of waits) made.push(...(await partnerAwaited(wait)))
      if (events.length < BATCH) {
        made.push(...(await lateRuns(nowMs, checkpoints)), ...unattended.map(runUnattended))
        made.push(...(await repeats.due(checkpoints, { nowMs, isQuiet })))
        made.push(...(await skips.due(checkpoints, { nowMs, isQuiet })))
        made.push(...(await optOuts.due(checkpoints, { nowMs, isQuiet })))
        made.push(...(await sources.due(checkpoints, { nowMs, isQuiet })))
        made.push(...(await answers.due(checkpoints, nowMs)), ...(await summaries(checkpoints, nowMs)))
      }
      if (events.length === 0 && made.length === 0 && waits.length === 0 && checkpoints.size === 0) return
      await outbox.commitBatch({
        events: events.map(({ id }) => id),
        // The channels that got a failure also get its end.
        notifications: made
          .filter(({ event, ends, pipeline }) => event === 'summary' || ends !== undefined || !isQuiet(pipeline))
          .flatMap(addressed),
        partnerWaits: waits,
        checkpoints,
        at: nowMs,
      })
      if (events.length < BATCH) {
        for (const { runId } of unattended) reported.add(runId)
        return
      }
    }
  }

  async function notificationsOf(
    event: OutboxEvent,
    checkpoints: CheckpointChanges,
    now: Now,
  ): Promise<Notification[]> {
    switch (event.kind) {
      case 'gone':
        return []
      case 'deployment':
        return [deploymentTold(event.news)]
      case 'occurrence': {
        const { occurrence } = event
        if (occurrence.state === 'skipped') await skips.skipped(occurrence, checkpoints)
        const told = withoutRun(occurrence, pipelines.get(occurrence.pipeline))
        if (told?.event === 'failure')
          return repeats.failed({ notification: told, isFile: isOfFile(occurrence) }, checkpoints, now)
        return told ? [told] : []
      }
      case 'waiting': {
        const origin = await originOf(event, deps)
        if (!origin) return []
        const questions = stepsWait({ ...event, ...origin }, noteQuestions(new Map(), await runs.records(event.runId)))
        for (const question of questions) answers.asked(question, checkpoints)
        return questions
      }
      case 'ended': {
        const records = await runs.records(event.runId)
        return [...(await warningOf(event, records)), ...(await runEnded(event, records, checkpoints, now))]
      }
    }
  }

  async function warningOf(run: Ended, records: readonly StoredRecord[]): Promise<Notification[]> {
    const warning = guardsWarned(run, records)
    const origin = warning && (await originOf(run, deps))
    return origin ? [{ ...warning, trigger: origin.occurrence?.trigger }] : []
  }

  async function runEnded(
    run: Ended,
    records: readonly StoredRecord[],
    checkpoints: CheckpointChanges,
    now: Now,
  ): Promise<Notification[]> {
    const isTold = run.occurrence !== undefined || (await isUnwatched(run.runId, runs))
    if (run.status === 'failed' && isTold) {
      const last = records.at(-1)?.record
      const notification = runFailed(run, last?.type === 'run.finished' ? last.error : undefined)
      return repeats.failed({ notification, isFile: isOfFile(run.occurrence) }, checkpoints, now)
    }
    const partial = isTold && run.failures !== undefined ? [runPartlyFailed(run, records)] : []
    return run.status === 'succeeded' ? [...partial, ...(await repeats.recovered(run, checkpoints, now))] : partial
  }

  async function longWaits(nowMs: number): Promise<readonly PartnerWait[]> {
    const { partnerWaitsAfterMs } = deps.rules
    return partnerWaitsAfterMs === undefined ? [] : outbox.partnerWaits(nowMs - partnerWaitsAfterMs)
  }

  async function partnerAwaited(wait: PartnerWait): Promise<Notification[]> {
    const origin = await originOf({ runId: wait.runId }, deps)
    return origin ? [partnerWaits(wait, origin.occurrence?.trigger)] : []
  }

  async function lateRuns(nowMs: number, checkpoints: CheckpointChanges): Promise<Notification[]> {
    const since = await outbox.checkpoint(LATE_CHECKPOINT)
    if (since === undefined) checkpoints.set(LATE_CHECKPOINT, nowMs)
    const looked = since === undefined ? undefined : await lateWatch.look(since, nowMs)
    if (!looked) return []
    checkpoints.set(LATE_CHECKPOINT, looked.untilMs)
    return looked.late.map(runLate)
  }
}

/**
 * The notification that a commit was refused, that the repository has been unreachable for a long time, or that both
 * problems are over.
 */
function deploymentTold({ what, at, title, details, error, key }: DeploymentNews): Notification {
  return {
    key: `deployment/${key}`,
    event: what === 'recovered' ? 'recovery' : 'deployment',
    ends: what === 'recovered' ? 'deployment' : undefined,
    at,
    pipeline: '',
    page: '',
    title,
    error,
    details,
    next: what === 'recovered' ? ['audience deploy list'] : ['audience deploy status', 'audience deploy check'],
  }
}
