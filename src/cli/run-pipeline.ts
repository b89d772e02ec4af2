import { dirname, resolve } from 'node:path'
import { inputsOfCommandLine } from '../acts/inputs-of.ts'
import { keptFrom } from '../acts/retry-run.ts'
import { startRun } from '../acts/start-run.ts'
import { submitDetached } from '../app/submit-detached.ts'
import type { Surroundings } from '../app/surroundings.ts'
import { serviceOf } from '../config/choose-service.ts'
import { documentSettings } from '../config/load-settings.ts'
import type { Settings } from '../config/settings.ts'
import { uploadsFolder } from '../config/settings.ts'
import type { RunRequest } from '../core/engine.ts'
import { usageError } from '../core/errors.ts'
import { isoTime } from '../core/iso-time.ts'
import type { JsonObject } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { describeService, isOfService } from '../core/service-ref.ts'
import { readNewPipeline } from '../daemon/documents/read-pipeline.ts'
import { uploadersIn } from '../daemon/file-givers.ts'
import { readDaemon } from '../daemon/lock/daemon-file.ts'
import { gitVersions } from '../platform/git-version.ts'
import { prepareRun, type WantedRun } from '../runs/prepare-run.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import { takesRuns } from '../state/worker-row.ts'
import { followStarted, tellSkipped } from './follow-started.ts'
import { readDocument } from './read-document.ts'
import { runNamed } from './run-named.ts'
import type { AppFlags } from './settings-of.ts'
import { settingsOf } from './settings-of.ts'
import { type SignFlags, signedBy } from './signed.ts'
import type { Terminal } from './terminal.ts'
import type { NextWorker } from './views/event-sink.ts'
import { withApp } from './with-app.ts'
import { withState } from './with-state.ts'

export interface RunFlags extends AppFlags, Pick<SignFlags, 'by'> {
  readonly input: readonly string[]
  readonly from?: string
  readonly of?: string
  readonly detach?: true
  /** How long to wait for a person or a partner, in milliseconds; false: not at all. */
  readonly wait?: number | false
}

/**
 * Runs a pipeline to its end and returns the exit code. Throws for every problem that can be found before the first
 * request.
 */
export async function runPipeline(file: string, flags: RunFlags, terminal: Terminal): Promise<number> {
  const { cwd, env, surroundings } = terminal
  const {
    policy,
    profiles: [values],
  } = documentSettings(terminal, flags)
  const pipeline = readNewPipeline({ ...readDocument(file), file }, { policy, values })
  const inputs = inputsOfCommandLine(pipeline, flags.input, { policy, cwd })
  const folder = resolve(cwd, dirname(file))
  const kept = await keptByFlags(flags, { pipeline, inputs }, terminal)
  const trigger = { kind: 'manual' }
  const deps = {
    ...surroundings,
    gitVersionOf: gitVersions(env, surroundings.clock.now),
    uploadersOf: uploadersIn(uploadsFolder(settingsOf(terminal, { profile: flags.profile }))),
  }
  const startedBy = signedBy({ by: flags.by }, terminal)
  const request = await prepareRun({ pipeline, folder, inputs, trigger, ...kept, startedBy }, deps)
  if (flags.detach) return runDetached(request, flags, terminal)
  return withApp(
    flags,
    terminal,
    async (app) => {
      const started = await startRun(request, app.engine)
      const { wait, json } = flags
      const goesOn = () =>
        whoGoesOn(started.runId, settingsOf(terminal, { profile: flags.profile }), terminal.surroundings)
      const leave = wait === undefined ? undefined : { waitMs: wait === false ? 0 : wait, goesOn }
      return followStarted(app, { ...started, asked: request.runId }, { json, leave }, terminal)
    },
    { pipeline },
  )
}

/** What `--from` and `--of` keep from an earlier run, and who started that run. */
async function keptByFlags(
  { from, of, profile, otherService }: RunFlags,
  wanted: { pipeline: Pipeline; inputs: JsonObject },
  terminal: Terminal,
): Promise<Pick<WantedRun, 'seed' | 'submitters'>> {
  if (from === undefined && of === undefined) return {}
  if (from === undefined || of === undefined) {
    throw usageError(
      'from-without-of',
      '--from and --of must be given together',
      'name the step to begin at and the run whose outputs to use: --from match --of RUN',
    )
  }
  const runId = await runNamed(of, terminal)
  const here = otherService ? undefined : serviceOf(settingsOf(terminal, { profile }))
  return withState(terminal, ({ runs }) => keptFrom({ runId, from }, wanted, { runs, here }))
}

/** Queues a run for the daemon, and says which process will work on it. */
async function runDetached(request: RunRequest, flags: AppFlags, terminal: Terminal): Promise<number> {
  const { env, out, secrets, surroundings } = terminal
  const settings = settingsOf(terminal, { profile: flags.profile })
  const submit = (asked: RunRequest) => submitDetached(asked, { settings, env, secrets, surroundings })
  const { runId, state } = await startRun({ ...request, via: 'detached' }, { submit })
  if (state === 'skipped') return tellSkipped(request.runId, runId, flags, terminal)
  if (flags.json) {
    out.write(`${JSON.stringify({ event: 'run.queued', at: isoTime(surroundings.clock.now()), runId })}\n`)
    return 0
  }
  const { text } = await whoGoesOn(runId, settings, surroundings)
  out.write(`run ${runId} of ${request.pipeline.name} is queued: ${text}\n`)
  return 0
}

/** Says which process works on a run after this command has ended. */
async function whoGoesOn(runId: string, settings: Settings, surroundings: Surroundings): Promise<NextWorker> {
  const here = serviceOf(settings)
  const resume = `audience runs resume ${runId}`
  const follow = `audience runs logs ${runId} --follow`
  const workers = await withReadableState(settings, surroundings, (state) => state.workers?.list())
  if (workers?.some((worker) => takesRuns(worker, surroundings.clock.now())))
    return { by: 'worker', text: `a worker will take it; ${follow}` }
  if (workers) return { by: 'nobody', text: `a worker takes it once \`audience start\` runs; or ${resume}` }
  const daemon = readDaemon(settings.state)
  if (daemon.state !== 'running') return { by: 'nobody', text: `it waits until \`audience start\` runs; or ${resume}` }
  const { info } = daemon
  if (!info || isOfService(info, here)) return { by: 'daemon', text: `audience start will run it; ${follow}` }
  const theirs = describeService(info)
  const text = `it belongs to ${describeService(here)}, and audience start works with ${theirs}, so it stays in the queue; ${resume}`
  return { by: 'nobody', text }
}
