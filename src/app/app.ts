import type { Logger } from 'pino'
import { serviceOf } from '../config/choose-service.ts'
import { uploadsFolder } from '../config/settings.ts'
import type { Engine, UploadersOf } from '../core/engine.ts'
import { type AudienceError, InvalidDocumentError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { Secrets } from '../core/secrets.ts'
import type { ServiceRef } from '../core/service-ref.ts'
import { releaseVersions } from '../daemon/deployment/release-folder.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { uploadersIn } from '../daemon/file-givers.ts'
import type { SharingEngine } from '../engine/distributed/sharing-engine.ts'
import { createEngine } from '../engine/embedded/create-engine.ts'
import type { EngineDeps } from '../engine/engine-deps.ts'
import { isEnvMissing, sealingOf } from '../engine/sealed-runs.ts'
import type { Lists } from '../lists/lists.ts'
import type { ForecastStep } from '../pipeline/step-plan.ts'
import { type GitVersionOf, gitVersions } from '../platform/git-version.ts'
import { allowedEnv } from '../policy/allowed-env.ts'
import { lastSuccess, type RecordedRun } from '../runs/recorded-run.ts'
import type { RunHistory } from '../state/run-history.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import { tightenState } from '../state/sqlite/tighten-state.ts'
import type { State } from '../state/state.ts'
import { createForecast, stepTypes } from '../steps/index.ts'
import { knownProxies } from './known-proxies.ts'
import { type ClientDeps, openClient } from './open-client.ts'
import { openStepServices } from './open-step-services.ts'
import { protect, protectRecorded } from './protect.ts'
import { createReadThread, type ReadThread } from './read-thread.ts'
import { type OpenWork, stateOptions, type WorkOptions } from './work.ts'

/** The whole runner, wired together; `close` ends everything that it started, within a time limit. */
export interface App extends Pick<ReadThread, 'view'> {
  readonly engine: Engine
  /** The commit of a document. */
  readonly gitVersionOf: GitVersionOf
  readonly uploadersOf: UploadersOf
  /** From now on, the values of the environment variables that a pipeline names are secrets. */
  protect(pipeline: Pipeline): void
  /** Forecasts what steps would do now. Reads the service and writes nothing. */
  readonly forecast: ForecastStep
  /** Rejects if the service cannot be reached or refuses access. Reads the shortest list. */
  reach(): Promise<void>
  /** The latest successful run of a pipeline, with its outputs. */
  lastSuccess(pipeline: string): Promise<RecordedRun | undefined>
  readonly proveOptOuts: Lists['proveOptOuts']
  /** The service that the runner uses. */
  readonly here: ServiceRef
  readonly state: State
  /** Present if other processes are working on the same state. */
  readonly sharing?: SharingEngine
  /** Why writes no longer reach the state; undefined while they do. */
  stateTrouble(): AudienceError | undefined
  /** Text without the secrets of this process. */
  redact(text: string): string
  close(): Promise<void>
}

/** How long work in progress may take to stop. */
export const GRACE_MS = 5000
/** How long a command that is ending may take to pack its own runs. */
const PACK_MS = 20

/**
 * Wires the runner for one profile: the state, the service (if it runs in this process) and its client, the steps and
 * the engine.
 */
export async function openApp(
  deps: ClientDeps & Omit<WorkOptions, keyof ClientDeps> & Pick<EngineDeps, 'maxRuns' | 'unparked'>,
): Promise<App> {
  const { settings, env, secrets, surroundings, maxRuns, unparked } = deps
  const here = serviceOf(settings)
  const protecting =
    <Source>(read: (source: Source) => Pipeline, known = protect) =>
    (source: Source) => {
      const pipeline = read(source)
      known(pipeline, deps)
      return pipeline
    }
  const { state: folder, database } = settings
  const thread = createReadThread({ state: folder, database: database && { url: database.url }, here })
  // Loaded only where it is needed.
  const work = database
    ? await (await import('./open-database-work.ts')).openDatabaseWork(database, deps)
    : openFolderWork(deps, thread)
  const { state } = work
  const opened = new AsyncDisposableStack()
  opened.defer(() => state.close())
  opened.defer(() => thread.close())
  try {
    const client = await openClient(deps)
    opened.defer(() => client.close())
    const gitVersionOf = releaseVersions(settings, gitVersions(env, surroundings.clock.now))
    const uploadersOf = uploadersIn(uploadsFolder(settings))
    const opening = Promise.withResolvers<Engine>()
    const services = openStepServices({
      proxies: knownProxies(env, secrets),
      redact: secrets.redact,
      settings,
      env,
      surroundings,
      here,
      api: client.api,
      throughOutages: work.throughOutages,
      gitVersionOf,
      uploadersOf,
      protecting,
      claims: state.claims,
      state: { memory: state.memory, made: state.made, runs: state.runs, engine: opening.promise },
    })
    const { engine, sharing } = await work.openEngine({
      ...surroundings,
      stepTypes,
      runStep(name, context, request) {
        const api = client.api.guardedBy(() => context.assertOwned(), context.pipeline)
        return runnable(name).run({
          ...request,
          context,
          services: { ...services.during(context.signal, context.sealing), api },
        })
      },
      readPipeline: protecting(readPipeline, protectRecorded),
      onUnreadable: (runId, error) => logUnreadable(runId, error, deps.log),
      cancelChildren: (runId) => services.during(services.closing).childRuns.cancelAll(runId),
      env: allowedEnv(env, settings.policy),
      redactData: secrets.redactData,
      profile: here.profile,
      approvalsNotBy: settings.policy.approvals?.notBy,
      maxRuns,
      unparked,
    })
    opening.resolve(engine)
    const listRemoval = await removeLists(services.lists, { engine, runs: state.runs })
    return {
      engine: engineWithoutSecrets(engine, secrets),
      here,
      gitVersionOf,
      uploadersOf,
      state,
      view: thread.view,
      sharing,
      protect: (pipeline) => protect(pipeline, deps),
      forecast(question) {
        const sealing = sealingOf({ env: question.env ?? [] }, allowedEnv(env, settings.policy))
        return createForecast({ ...services.during(undefined, sealing), signal: services.closing })(question)
      },
      reach: client.reach,
      proveOptOuts: services.lists.proveOptOuts,
      lastSuccess: (pipeline) => lastSuccess(pipeline, state.runs),
      stateTrouble: work.trouble,
      redact: (text) => secrets.redact(text),
      async close() {
        services.stop()
        await engine.stop(GRACE_MS)
        await listRemoval.close()
        await services.close()
        await client.close()
        // Packing only saves space, so a state that cannot be written now is packed later.
        await state.runs.pack(PACK_MS).catch(() => undefined)
        // The thread is closed before the state, because the last one to close the state removes its log.
        await thread.close()
        await state.close()
      },
    }
  } catch (error) {
    // Anything left open, such as the embedded service, would keep the process alive.
    await opened.disposeAsync()
    throw error
  }
}

function logUnreadable(runId: string, error: unknown, log: Pick<Logger, 'error'>): void {
  if (error instanceof InvalidDocumentError) {
    const problems = error.diagnostics.map(({ message }) => message)
    const text = 'cannot resume a run: this version cannot read its document; use the version that started it'
    log.error({ runId, problems }, text)
  } else if (isEnvMissing(error)) {
    log.error({ runId, problem: error.message, hint: error.hint }, 'cannot resume a run yet')
  } else {
    const text = 'cannot resume a run: its records cannot be read; `audience state check` checks all of them'
    log.error({ runId, problem: messageOf(error) }, text)
  }
}

function runnable(name: string) {
  const type = stepTypes.get(name)
  if (!type) throw new Error(`there is no step type ${name}`)
  return type
}

/** The engine for all code that shows, logs, counts or sends events; its events contain no secrets of this process. */
function engineWithoutSecrets(engine: Engine, { redactData }: Pick<Secrets, 'redactData'>): Engine {
  // Several listeners may get the same event.
  const told = new WeakMap<RunEvent, RunEvent>()
  const redacted = (event: RunEvent): RunEvent => {
    const known = told.get(event) ?? redactData(event)
    told.set(event, known)
    return known
  }
  return {
    ...engine,
    async *events(runId) {
      for await (const event of engine.events(runId)) yield redacted(event)
    },
    watch: (listener) => engine.watch((event) => listener(redacted(event))),
  }
}

/** Opens the state of a folder. A thread answers the reads that cover many runs. */
function openFolderWork(options: WorkOptions, { lists }: Pick<ReadThread, 'lists'>): OpenWork {
  const { settings, log, readsHere } = options
  const tightened = tightenState(settings.state)
  if (tightened.length > 0)
    log.warn({ files: tightened }, 'others could read these files of the state; from now on only their owner can')
  const state = openEmbeddedState({
    folder: settings.state,
    ...stateOptions(options),
    lists: readsHere ? undefined : lists,
  })
  return {
    state,
    trouble: state.trouble,
    openEngine: async (deps) => ({ engine: createEngine({ journal: state.journal, ...deps }) }),
  }
}

/**
 * Removes the lists of runs. The lists of ended runs that a killed process left behind are removed immediately. Every
 * other list is removed when its run ends. `close` waits for the removals that have begun.
 */
async function removeLists(
  lists: Pick<Lists, 'runs' | 'remove'>,
  { engine, runs }: { engine: Pick<Engine, 'watch'>; runs: Pick<RunHistory, 'find'> },
): Promise<{ close(): Promise<void> }> {
  for (const runId of await lists.runs()) {
    // A run is recorded before it makes a list.
    const row = await runs.find(runId)
    if (!row || row.finishedAt !== undefined) await lists.remove(runId)
  }
  const removals = new Set<Promise<void>>()
  const unwatch = engine.watch((event) => {
    if (event.event !== 'run.finished') return
    // A list that cannot be removed now is removed at the next start.
    const removal = lists.remove(event.runId).catch(() => undefined)
    removals.add(removal)
    void removal.then(() => removals.delete(removal))
  })
  return {
    async close() {
      unwatch()
      await Promise.all(removals)
    },
  }
}
