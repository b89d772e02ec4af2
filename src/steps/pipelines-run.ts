import { CHILD_RUN } from '../core/engine.ts'
import { failedError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import { NESTING_STEP } from '../core/step-type.ts'
import { defineStep } from './define-step.ts'
import { nothingYet } from './nothing-yet.ts'

/**
 * Runs another pipeline as a separate run and waits until it ends. An attempt has exactly one such run, even if this
 * process crashes. Cancelling this run also cancels that run.
 */
export const pipelinesRun = defineStep({
  name: NESTING_STEP,
  summary: 'Run another pipeline and wait until it ends.',
  description:
    'The other pipeline gets its own run, with its own history. If that run fails, this step fails. If this run is cancelled, the other run is cancelled too. A `timeout` of the step ends the wait, but the other run goes on. Another attempt, or a retry of this run, waits for the same run.',
  input: {
    type: 'object',
    required: ['file'],
    properties: {
      file: {
        type: 'string',
        format: 'file',
        minLength: 1,
        description: 'The other pipeline; relative to this document.',
      },
      inputs: { type: 'object', description: 'Inputs of the other pipeline, by name.' },
    },
  },
  output: {
    type: 'object',
    required: ['runId'],
    properties: {
      runId: { type: 'string', description: 'Id of the other run.' },
      outputs: { type: 'object', description: 'The outputs of the other pipeline.' },
    },
  },
  async run({ input, context, services: { childRuns } }) {
    const { file } = input
    const inputs = isJsonObject(input.inputs) ? input.inputs : {}
    const { runId: parent, stepKey, attempt } = context
    const runId = await context.once(CHILD_RUN, () => childRuns.submit({ parent, stepKey, attempt, file, inputs }))
    const end = await childRuns.end(runId, context.signal)
    if (end.status === 'succeeded') return { runId, outputs: end.outputs }
    throw failedError(
      'child-run-failed',
      `run ${runId} of ${file} ${end.status}${end.error ? `: ${end.error.message}` : ''}`,
      `\`audience runs show ${runId}\` shows what happened`,
    )
  },
  plan: () => nothingYet('run', 'plan that pipeline separately'),
})
