import type { Engine, RunRequest, Submission } from '../core/engine.ts'
import { usageError } from '../core/errors.ts'
import { isSameJson } from '../core/json.ts'
import { type PrepareRunDeps, prepareRun, type WantedRun } from '../runs/prepare-run.ts'
import { groupBusy } from '../runs/run-groups.ts'
import type { RunHistory } from '../state/run-history.ts'

/** The outcome of a request; `skipped` and `existing` name the run that prevents another one. */
export interface Started extends Omit<Submission, 'state'> {
  readonly state: Exclude<Submission['state'], 'refused'>
}

/** Starts a run, or queues it. Throws `group-busy` if a group refuses it. */
export async function startRun(request: RunRequest, engine: Pick<Engine, 'submit'>): Promise<Started> {
  const { state, ...submission } = await engine.submit(request)
  if (state === 'refused') throw groupBusy(request.pipeline.name, submission.runId)
  return { ...submission, state }
}

interface OnceDeps extends PrepareRunDeps {
  engine: Pick<Engine, 'submit'>
  state: { runs: Pick<RunHistory, 'submission'> }
}

/**
 * Starts at most one run for all requests with the same `dedupeKey`. Throws `no-group`, `group-busy`, or `key-reused`
 * if an earlier request with this key was different. `keyName` is what the caller's users call the key.
 */
export async function startOnce(wanted: WantedRun, { keyName }: { keyName: string }, deps: OnceDeps): Promise<Started> {
  const { pipeline, inputs } = wanted
  const started = await startRun(await prepareRun(wanted, deps), deps.engine)
  if (started.state !== 'existing') return started
  const earlier = await deps.state.runs.submission(started.runId)
  if (!earlier || (earlier.pipeline === pipeline.name && isSameJson(earlier.inputs, inputs))) return started
  throw usageError(
    'key-reused',
    `this ${keyName} started run ${started.runId} of ${earlier.pipeline} with other inputs`,
    'use a new key for each different request',
  )
}
