import { notifyRulesOf } from '../config/notify-config.ts'
import { membershipFolder, uploadsFolder } from '../config/settings.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { LiveDocument } from '../daemon/documents/live-documents.ts'
import { beatingClock, createHeartbeats, type Stall } from '../daemon/health/heartbeats.ts'
import { countNotifications } from '../daemon/metrics/create-metrics.ts'
import { type PingPlan, startPings } from '../daemon/pings/start-pings.ts'
import { keepRetention, removeUploads } from '../daemon/retention.ts'
import type { OptOutsWatch } from '../daemon/watch-opt-outs.ts'
import { removeExpiredFingerprints } from '../membership/remove-fingerprints.ts'
import type { Channel } from '../notifications/channels/channel.ts'
import { startNotifier } from '../notifications/start-notifier.ts'
import type { UnattendedRuns } from '../runs/unattended-runs.ts'
import type { State } from '../state/state.ts'
import type { FolderState } from '../triggers/watch/start-watcher.ts'
import { startTriggers, type TriggerDeps } from './start-triggers.ts'

/**
 * The duties that only one process at a time has for a state: schedules, watched folders, notifications and retention.
 */
export interface Duties {
  /** Uses these documents from now on. */
  replace(documents: ReadonlyMap<string, LiveDocument>): void
  folders(): readonly FolderState[]
  /** The loops that are no longer running. */
  stalled(): readonly Stall[]
  /** Ends all duties, within a time limit. */
  stop(): Promise<void>
}

interface DutiesDeps extends Omit<TriggerDeps, 'beating' | 'app'> {
  /** The parts of the runner that duties need. */
  app: Omit<TriggerDeps['app'], 'state'> & { state: State; redact(text: string): string }
  channels: readonly Channel[]
  pings: PingPlan | undefined
  /** Whether all loops of the process run, and the state can be written. */
  isWell: () => Promise<boolean>
  unattended: Pick<UnattendedRuns, 'runs'>
  optOuts: Pick<OptOutsWatch, 'troubles'>
  /** Begins to deploy pipelines from git; absent for the pipelines of a folder. */
  deploy?: ((clock: SteadyClock) => { stop(): Promise<void> }) | undefined
}

/** How long messages in progress may take to arrive. */
const NOTIFY_GRACE_MS = 3_000
/** A loop sleeps at most one minute. If it has not run for another minute, it has stopped. */
export const STALLED_AFTER_MS = 120_000

/** Begins the work with the given documents. */
export async function startDuties(documents: ReadonlyMap<string, LiveDocument>, deps: DutiesDeps): Promise<Duties> {
  const { app, settings, surroundings, log, metrics, channels } = deps
  const { clock, random } = surroundings
  const { state } = app
  const beats = createHeartbeats(clock.steady)
  const beating = (loop: string): SteadyClock => beatingClock(clock, beats.loop(loop, STALLED_AFTER_MS))
  const started = new AsyncDisposableStack()
  try {
    const notifier = await startNotifier({
      outbox: countNotifications(state.outbox, metrics.onNotification),
      state,
      pipelines: deps.pipelines,
      unattended: () => deps.unattended.runs,
      optOuts: deps.optOuts.troubles,
      channels,
      consoleUrl: settings.console.publicUrl,
      rules: notifyRulesOf(settings.notify ?? {}),
      clock: channels.length > 0 ? beating('notifier') : clock,
      random,
      log,
      redact: app.redact,
    })
    started.defer(() => notifier.stop(NOTIFY_GRACE_MS))
    const triggers = startTriggers(documents, { ...deps, beating })
    started.defer(() => triggers.stop())
    if (deps.pings) {
      const { pipelines, isWell } = deps
      const pings = startPings(deps.pings, { runs: state.runs, pipelines, isWell, clock, log })
      started.defer(() => pings.stop())
    }
    const deployer = deps.deploy?.(beating('deployer'))
    started.defer(async () => deployer?.stop())
    const keeping = new AbortController()
    const kept = keepRetention(settings.retention, {
      state,
      removeExpiredFingerprints: (now) =>
        removeExpiredFingerprints(membershipFolder(settings), settings.privacy.membership, { now, runs: state.runs }),
      removeUploads: (before) => removeUploads(uploadsFolder(settings), { before, runs: state.runs }),
      clock,
      steadyMs: clock.steady,
      log,
      signal: keeping.signal,
    })
    started.defer(async () => {
      keeping.abort()
      await kept
    })
    return {
      replace: triggers.replace,
      folders: triggers.folders,
      stalled: () => beats.stalled(),
      stop: () => started.disposeAsync(),
    }
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}
