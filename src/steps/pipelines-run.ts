import { CHILD_RUN } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { type PipelinesRunInput, pipelinesRunInput, pipelinesRunOutput } from './pipelines-run-schema.ts'
import type { RunnableStepType } from './runnable-step-type.ts'

/**
 * Runs another pipeline as a run of its own and waits for its end. An attempt has exactly one such run, even if this
 * process crashes. Cancelling this run cancels that run too.
 */
export const pipelinesRun: RunnableStepType = {
  name: 'pipelines.run',
  summary: 'Run another pipeline and wait for its end.',
  description: 'It is a run of its own, with its own history; it fails this step when it fails.',
  input: pipelinesRunInput,
  check: (input) => violationsOf(validators['pipelines.run'], input),
  output: pipelinesRunOutput,
  startsJob: false,
  async run(context, request, { childRuns }) {
    // The engine has checked the input against the schema.
    const { file } = request.input as unknown as PipelinesRunInput
    const inputs = isJsonObject(request.input.inputs) ? request.input.inputs : {}
    const { runId: parent, stepKey, attempt } = context
    const runId = await context.once(CHILD_RUN, () => childRuns.submit({ parent, stepKey, attempt, file, inputs }))
    const end = await childRuns.end(runId, context.signal)
    if (end.status === 'succeeded') return { runId, outputs: end.outputs }
    throw new AudienceError({
      code: 'child-run-failed',
      kind: 'failed',
      message: `run ${runId} of ${file} ${end.status}${end.error ? `: ${end.error.message}` : ''}`,
      hint: `\`audience runs show ${runId}\` tells what happened`,
    })
  },
}
