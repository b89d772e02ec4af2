import { dirname } from 'node:path'
import { visibleEnv } from '../../../core/visible-env.ts'
import { planPipeline } from '../../../pipeline/plan-pipeline.ts'
import { hasChanges, planSummary, wouldFail } from '../../../pipeline/plan-summary.ts'
import { planGuards } from '../../../runs/guards/plan-guard.ts'
import type { Handler } from '../call.ts'
import { givenInputs } from '../given-inputs.ts'
import { findDocument } from '../pipeline-facts.ts'

/** The plan of a run now. It reads the service and writes nothing. */
export const makePlan: Handler<'plan.make'> = async (deps, { pipeline: name, inputs: given = {} }) => {
  const { pipeline } = findDocument(deps, name)
  deps.protect(pipeline)
  const last = await deps.lastSuccess(name)
  const steps = await planPipeline({
    ...{ pipeline, stepTypes: deps.stepTypes, profile: deps.here.profile },
    inputs: givenInputs(deps, pipeline, given, { keepMissing: true }),
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
}
