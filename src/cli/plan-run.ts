import { documentSettings } from '../config/load-settings.ts'
import { stringifyJson } from '../core/json.ts'
import { printableJson } from '../core/printable.ts'
import { visibleEnv } from '../core/visible-env.ts'
import { readNewPipeline } from '../daemon/documents/read-pipeline.ts'
import { planPipeline } from '../pipeline/plan-pipeline.ts'
import { resolveInputs } from '../pipeline/resolve-inputs.ts'
import { isFile } from '../platform/is-file.ts'
import { allowedEnv } from '../policy/allowed-env.ts'
import { fileCheck } from '../policy/enforce.ts'
import type { RunRow } from '../state/journal.ts'
import { stepTypes } from '../steps/index.ts'
import { readDocument } from './read-document.ts'
import type { AppFlags } from './settings-of.ts'
import type { Terminal } from './terminal.ts'
import { renderPlan } from './views/render-plan.ts'
import { styleFor } from './views/style.ts'
import { withApp } from './with-app.ts'

export interface PlanFlags extends AppFlags {
  readonly input: readonly string[]
}

/** Shows what a run would do now, and what the last one did. */
export async function planRun(file: string, flags: PlanFlags, terminal: Terminal): Promise<number> {
  const { env, cwd, out } = terminal
  const { policy } = documentSettings(terminal)
  const pipeline = readNewPipeline({ ...readDocument(file), file }, { policy })
  const inputs = resolveInputs(pipeline, { given: flags.input, cwd, exists: isFile, checkFile: fileCheck(policy) })
  return withApp(flags, terminal, async (app) => {
    app.protect(pipeline)
    await app.reach()
    const last = app.lastSuccess(pipeline.name)
    const deps = {
      pipeline,
      inputs,
      env: visibleEnv(pipeline, allowedEnv(env, policy)),
      last: last?.outputs,
      cwd,
      stepTypes,
      forecast: app.forecast,
    }
    const steps = await planPipeline(deps)
    const plan = { pipeline: pipeline.name, steps, ...(last && { lastRun: lastRunOf(last.row) }) }
    out.write(
      app.redact(
        flags.json
          ? `${printableJson(stringifyJson(plan))}\n`
          : `${renderPlan(plan, last?.outputs, styleFor(out)).join('\n')}\n`,
      ),
    )
    return 0
  })
}

function lastRunOf({ runId, status, submittedAt, finishedAt }: RunRow) {
  return {
    runId,
    status,
    submittedAt: new Date(submittedAt).toISOString(),
    ...(finishedAt !== undefined && { finishedAt: new Date(finishedAt).toISOString() }),
  }
}
