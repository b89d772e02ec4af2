import { acknowledgeFailure } from '../../../acts/acknowledge-failure.ts'
import { runToCancel } from '../../../acts/cancel-run.ts'
import { recordDecision, stepToDecide } from '../../../acts/record-decision.ts'
import { retryOf, retryWithToday, startRetry, type TodaysDocument } from '../../../acts/retry-run.ts'
import { requireSameService } from '../../../core/service-ref.ts'
import { fileCheck } from '../../../policy/enforce.ts'
import { findRun } from '../../../runs/recorded-run.ts'
import type { ApiHandlers } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { findDocument } from '../document-facts.ts'
import { toRunItem } from '../run-item.ts'

export const runHandlers = {
  /** Records a person's decision about a step that is waiting. The store refuses a second decision. */
  'runs.decide': async (deps, { runId, step: name, decision }, { actor }) => {
    const { readPipeline, here } = deps
    const { runs } = deps.state
    const row = await findRun(runs, runId)
    requireSameService(row, here)
    const step = await stepToDecide({ row, name, decision }, { runs, readPipeline })
    await recordDecision({ runId, step, decision, actor }, { runs })
    return { runId }
  },

  /** Cancels a run. The process that works on the run ends it. */
  'runs.cancel': async (deps, { runId }, { actor }) => {
    const { engine, here, state } = deps
    const { row, jobs } = await runToCancel(runId, state)
    requireSameService(row, here)
    await engine.cancel(runId, actor)
    return { runId, jobs }
  },

  /** Acknowledges failures of a pipeline with the same kind of error as this run. */
  'runs.acknowledge': async ({ state, clock }, { runId }, { actor }) => {
    const run = await acknowledgeFailure(runId, actor, { runs: state.runs, clock })
    return { run: toRunItem(run) }
  },

  /** Starts a new run with the request of an ended run. Steps that succeeded are not repeated. */
  'runs.retry': async (deps, input, { actor }) => {
    const { runId, from, document = 'recorded' } = input
    const { runs } = deps.state
    const { row, wanted } =
      document === 'recorded'
        ? await retryOf({ runId, from }, { runs, readPipeline: deps.readPipeline })
        : await retryWithToday({ runId, from }, { runs, today: (name) => todaysDocument(deps, name) })
    requireSameService(row, deps.here)
    deps.protect(wanted.pipeline)
    const started = await startRetry({ ...wanted, startedBy: actor, via: 'api' }, deps)
    return { runId: started.runId, state: started.state }
  },
} satisfies Partial<ApiHandlers>

/** The current document of a pipeline. Throws `unknown-pipeline`. */
function todaysDocument(deps: ConsoleDeps, name: string): TodaysDocument {
  const { pipeline, folder, file } = findDocument(deps, name)
  const problems = deps.problems().find((problem) => problem.file === file)?.messages
  return { pipeline, folder, checkFile: fileCheck(deps.settings.policy), problems }
}
