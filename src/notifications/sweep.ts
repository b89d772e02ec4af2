import type { Notification } from '../core/notification.ts'
import type { StoredRecord } from '../core/run.ts'
import type { UnattendedRun } from '../runs/unattended-runs.ts'
import type { DeploymentNews } from '../state/deployments.ts'
import type { EndedRun, Outbox, OutboxEvent } from '../state/outbox.ts'
import type { PartnerWait } from '../state/run-history.ts'
import type { State } from '../state/state.ts'
import { createAnswers } from './answers.ts'
import { type Batch, Checkpoints } from './batch.ts'
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

export interface SweepDeps extends RecipientDeps {
  outbox: Outbox
  state: Pick<State, 'runs' | 'occurrences' | 'mutes' | 'remote'>
  /** The runs that no process is working on now. */
  unattended: () => readonly UnattendedRun[]
  optOuts: Parameters<typeof createOptOuts>[0]['optOuts']
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
  /** Runs whose notification this process has stored. The outbox knows the notifications of earlier processes. */
  const reported = new Set<string>()

  return async (nowMs) => {
    const mutes = await deps.state.mutes.list(nowMs)
    const isQuiet = (pipeline: string) => isMuted(mutes, pipeline, nowMs)
    for (;;) {
      const events = await outbox.events(BATCH)
      const batch = { nowMs, isQuiet, checkpoints: new Checkpoints(outbox) }
      const made: Notification[] = []
      for (const event of events) made.push(...(await notificationsOf(event, batch)))
      // A problem that outlasts a mute is reported when the mute ends.
      const unattended = deps.unattended().filter(({ runId, pipeline }) => !reported.has(runId) && !isQuiet(pipeline))
      const waits = events.length < BATCH ? (await longWaits(nowMs)).filter(({ pipeline }) => !isQuiet(pipeline)) : []
      for (const wait of waits) made.push(...(await partnerAwaited(wait)))
      if (events.length < BATCH) {
        made.push(...(await lateRuns(batch)), ...unattended.map(runUnattended))
        for (const { due } of [repeats, skips, optOuts, sources, answers]) made.push(...(await due(batch)))
        made.push(...(await summaries(batch)))
      }
      const checkpoints = batch.checkpoints.changes
      if (events.length === 0 && made.length === 0 && waits.length === 0 && checkpoints.size === 0) return
      await outbox.commitBatch({
        events: events.map(({ id }) => id),
        // The channels that were sent a failure are also told when it ends.
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

  async function notificationsOf(event: OutboxEvent, batch: Batch): Promise<Notification[]> {
    switch (event.kind) {
      case 'gone':
        return []
      case 'deployment':
        return [deploymentTold(event.news)]
      case 'occurrence': {
        const { occurrence } = event
        if (occurrence.state === 'skipped') await skips.skipped(occurrence, batch)
        const told = withoutRun(occurrence, pipelines.get(occurrence.pipeline))
        if (told?.event === 'failure')
          return repeats.failed({ notification: told, isFile: isOfFile(occurrence) }, batch)
        return told ? [told] : []
      }
      case 'waiting': {
        const origin = await originOf(event, deps)
        if (!origin) return []
        const questions = stepsWait({ ...event, ...origin }, noteQuestions(new Map(), await runs.records(event.runId)))
        for (const question of questions) answers.asked(question, batch)
        return questions
      }
      case 'ended': {
        const records = await runs.records(event.runId)
        return [...(await warningOf(event, records)), ...(await runEnded(event, records, batch))]
      }
    }
  }

  async function warningOf(run: EndedRun, records: readonly StoredRecord[]): Promise<Notification[]> {
    const warning = guardsWarned(run, records)
    const origin = warning && (await originOf(run, deps))
    return origin ? [{ ...warning, trigger: origin.occurrence?.trigger }] : []
  }

  async function runEnded(run: EndedRun, records: readonly StoredRecord[], batch: Batch): Promise<Notification[]> {
    const isTold = run.occurrence !== undefined || (await isUnwatched(run.runId, runs))
    if (run.status === 'failed' && isTold) {
      const last = records.at(-1)?.record
      const notification = runFailed(run, last?.type === 'run.finished' ? last.error : undefined)
      return repeats.failed({ notification, isFile: isOfFile(run.occurrence) }, batch)
    }
    const partial = isTold && run.failures !== undefined ? [runPartlyFailed(run, records)] : []
    return run.status === 'succeeded' ? [...partial, ...(await repeats.recovered(run, batch))] : partial
  }

  async function longWaits(nowMs: number): Promise<readonly PartnerWait[]> {
    const { partnerWaitsAfterMs } = deps.rules
    return partnerWaitsAfterMs === undefined ? [] : outbox.partnerWaits(nowMs - partnerWaitsAfterMs)
  }

  async function partnerAwaited(wait: PartnerWait): Promise<Notification[]> {
    const origin = await originOf({ runId: wait.runId }, deps)
    return origin ? [partnerWaits(wait, origin.occurrence?.trigger)] : []
  }

  async function lateRuns({ nowMs, checkpoints }: Batch): Promise<Notification[]> {
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
