import { dirname } from 'node:path'
import { startRun as startPrepared } from '../../../acts/start-run.ts'
import { isSameJson, type JsonObject } from '../../../core/json.ts'
import { prepareRun } from '../../../runs/prepare-run.ts'
import { conflict } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { givenInputs } from '../given-inputs.ts'
import { findDocument } from '../pipeline-facts.ts'

/** Starts a run of a pipeline of the folder. With an idempotency key, at most one. */
export const startRun: Handler<'runs.start'> = async (deps, { pipeline: name, inputs: given = {}, reason }, call) => {
  const { pipeline } = findDocument(deps, name)
  deps.protect(pipeline)
  const inputs = givenInputs(deps, pipeline, given)
  const { idempotencyKey, caller } = call
  const wanted = {
    ...{ pipeline, inputs, folder: dirname(pipeline.file), trigger: { kind: 'manual' } },
    startedBy: actorOfCaller(caller, reason),
    via: 'api' as const,
    // The key of another caller counts as a different key.
    dedupeKey: idempotencyKey === undefined ? undefined : `api/${encodeURIComponent(caller.by)}/${idempotencyKey}`,
  }
  const { runId, state } = await startPrepared(await prepareRun(wanted, deps), deps.engine)
  if (state === 'existing') await requireSame(deps, runId, { pipeline: name, inputs })
  return { runId, state }
}

async function requireSame(
  { state }: ConsoleDeps,
  runId: string,
  wanted: { readonly pipeline: string; readonly inputs: JsonObject },
): Promise<void> {
  const earlier = await state.runs.submission(runId)
  if (!earlier || (earlier.pipeline === wanted.pipeline && isSameJson(earlier.inputs, wanted.inputs))) return
  const hint = 'give each request that differs a key of its own'
  throw conflict(
    'key-reused',
    `this Idempotency-Key started run ${runId} of ${earlier.pipeline} with other inputs`,
    hint,
  )
}
