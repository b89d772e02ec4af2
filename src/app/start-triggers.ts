import type { Logger } from 'pino'
import { copiesFolder, type Settings, uploadsFolder } from '../config/settings.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { Engine, UploadersOf } from '../core/engine.ts'
import type { ErrorReport } from '../core/errors.ts'
import type { Fire } from '../core/fire.ts'
import type { OccurrenceRef } from '../core/occurrence.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { Trigger } from '../core/trigger.ts'
import { type LiveDocument, triggersOf } from '../daemon/documents/live-documents.ts'
import { createFire } from '../daemon/fire-trigger.ts'
import type { Metrics } from '../daemon/metrics/create-metrics.ts'
import { countOccurrences } from '../daemon/metrics/trigger-metrics.ts'
import type { GitVersionOf } from '../platform/git-version.ts'
import { isFile, whyUnseen } from '../platform/is-file.ts'
import { requireShared } from '../platform/shared-folder.ts'
import { fileCheck } from '../policy/enforce.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'
import type { State } from '../state/state.ts'
import { startFollower } from '../triggers/after/start-follower.ts'
import { startRemoteWatcher } from '../triggers/remote/start-remote-watcher.ts'
import { jitterOf } from '../triggers/schedule/schedule.ts'
import { Scheduler } from '../triggers/schedule/scheduler.ts'
import { type FolderState, startWatcher } from '../triggers/watch/start-watcher.ts'
import { remoteSources } from './open-remote-source.ts'
import type { Surroundings } from './surroundings.ts'

export interface TriggerDeps {
  /** The parts of the runner that triggers need. */
  app: {
    engine: Engine
    state: Pick<State, 'runs' | 'occurrences' | 'ends' | 'remote'>
    gitVersionOf: GitVersionOf
    uploadersOf: UploadersOf
    protect: (pipeline: Pipeline) => void
  }
  settings: Settings
  /** The environment, which may contain the credentials of a bucket. */
  env: Readonly<Record<string, string | undefined>>
  surroundings: Surroundings
  /** The pipelines in use, by name. */
  pipelines: ReadonlyMap<string, Pipeline>
  metrics: Pick<Metrics, 'onOccurrence' | 'onNotification'>
  /** Returns the clock for a loop that must not stall. */
  beating: (loop: string) => SteadyClock
  log: Logger
}

interface Triggers {
  /** Uses the triggers of these documents from now on. */
  replace(documents: ReadonlyMap<string, LiveDocument>): void
  folders(): readonly FolderState[]
  stop(): Promise<void>
}

/** Starts the triggers of documents: schedules, triggers that come after other pipelines, and watched folders. */
export function startTriggers(documents: ReadonlyMap<string, LiveDocument>, deps: TriggerDeps): Triggers {
  const { app, settings, surroundings, pipelines, metrics, beating, log } = deps
  const occurrenceStore = app.state.occurrences
  const checkFile = fileCheck(settings.policy)
  const fire = createFire({
    engine: app.engine,
    occurrenceStore,
    ...surroundings,
    exists: isFile,
    whyUnseen,
    checkFile,
    gitVersionOf: app.gitVersionOf,
    uploadersOf: app.uploadersOf,
    protect: app.protect,
    uploads: uploadsFolder(settings),
    log,
  })
  const counted = countedTriggers({ occurrenceStore, fire }, { metrics, pipelines, now: surroundings.clock.now })
  const scheduler = new Scheduler({ ...counted('schedule'), clock: beating('scheduler'), log, checkFile })
  const watcher = startWatcher({
    ...counted('watch'),
    ...surroundings,
    clock: beating('watcher'),
    log,
    checkFile,
    checkShared: settings.database && requireShared,
    whyFailed: (runId) => whyFailed(app, runId),
  })
  const sources = remoteSources(settings.sources, { clock: surroundings.clock, env: deps.env })
  const remote = startRemoteWatcher({
    ...counted('remote'),
    ledger: app.state.remote,
    clock: beating('remote'),
    random: surroundings.random,
    log,
    whyFailed: (runId) => whyFailed(app, runId),
    openSource: sources.open,
    copies: copiesFolder(settings),
  })
  const follower = startFollower({
    ...counted('after'),
    ends: app.state.ends,
    runs: app.state.runs,
    clock: beating('follower'),
    log,
    watchEnds: (ended) => app.engine.watch(({ event }) => event === 'run.finished' && ended()),
    onDecided: (occurrence) => metrics.onOccurrence({ kind: 'after', ...occurrence }),
  })
  const replace = (next: ReadonlyMap<string, LiveDocument>) => {
    scheduler.replace(triggersOf(next.values(), 'schedule'))
    watcher.replace(triggersOf(next.values(), 'watch'))
    remote.replace(triggersOf(next.values(), 'remote'))
    follower.replace(next)
  }
  replace(documents)
  return {
    replace,
    folders: () => watcher.status(),
    async stop() {
      await follower.stop()
      await remote.stop()
      await sources.close()
      await watcher.stop()
      await scheduler.stop()
    },
  }
}

/** For each kind of trigger, wraps the occurrence store and `fire`, so that the metrics count the occurrences. */
function countedTriggers(
  triggers: { occurrenceStore: OccurrenceStore; fire: Fire },
  { metrics, pipelines, now }: Pick<TriggerDeps, 'metrics' | 'pipelines'> & { now: () => number },
) {
  const startOf = ({ pipeline, trigger: id }: OccurrenceRef, at: number) => {
    const trigger = pipelines.get(pipeline)?.triggers.find((each) => each.id === id)
    return at + (trigger?.kind === 'schedule' ? jitterOf(pipeline, trigger, at) : 0)
  }
  return (kind: Trigger['kind']) =>
    countOccurrences({ kind, ...triggers }, { tell: metrics.onOccurrence, now, startOf })
}

async function whyFailed({ state }: TriggerDeps['app'], runId: string): Promise<ErrorReport | undefined> {
  const last = (await state.runs.records(runId)).at(-1)?.record
  return last?.type === 'run.finished' ? last.error : undefined
}
