import { dirname } from 'node:path'
import { inputsOfRequest } from '../../../acts/inputs-of.ts'
import { startOnce } from '../../../acts/start-run.ts'
import { visibleEnv } from '../../../core/visible-env.ts'
import { planPipeline } from '../../../pipeline/plan-pipeline.ts'
import { hasChanges, planSummary, wouldFail } from '../../../pipeline/plan-summary.ts'
import { planGuards } from '../../../runs/guards/plan-guard.ts'
import type { ApiHandlers } from '../call.ts'
import { findDocument } from '../document-facts.ts'

export const startHandlers = {
  /** Starts a run of a pipeline in the folder. Requests with the same idempotency key start at most one run. */
  'runs.start': async (deps, { pipeline: name, inputs: given = {} }, call) => {
    const { pipeline } = findDocument(deps, name)
    deps.protect(pipeline)
    const inputs = inputsOfRequest(deps, pipeline, given)
    const { idempotencyKey, actor } = call
    const wanted = {
      ...{ pipeline, inputs, folder: dirname(pipeline.file), trigger: { kind: 'manual' } },
      startedBy: actor,
      via: 'api' as const,
      // The same key from another caller counts as a different key.
      dedupeKey: idempotencyKey === undefined ? undefined : `api/${encodeURIComponent(actor.by)}/${idempotencyKey}`,
    }
    const { runId, state } = await startOnce(wanted, { keyName: 'Idempotency-Key' }, deps)
    return { runId, state }
  },

  /** Makes the plan of a run. Reads the service and writes nothing. */
  'plan.make': async (deps, { pipeline: name, inputs: given = {} }) => {
    const { pipeline } = findDocument(deps, name)
    deps.protect(pipeline)
    const last = await deps.lastSuccess(name)
    const steps = await planPipeline({
      ...{ pipeline, stepTypes: deps.stepTypes, profile: deps.here.profile },
      inputs: inputsOfRequest(deps, pipeline, given, { keepMissing: true }),
      ...{ cwd: dirname(pipeline.file), env: visibleEnv(pipeline, deps.env), last: last?.outputs },
      guards: await planGuards(pipeline, deps.state.runs),
      forecast: deps.forecast,
    })
    return {
      summary: { ...planSummary(steps) },
      changes: hasChanges(steps),
      fails: wouldFail(steps),
      steps: steps.map((step) => ({ ...step })),
      lastRun: last?.row.runId,
    }
  },
} satisfies Partial<ApiHandlers>
