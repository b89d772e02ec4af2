import { AudienceError, NeedsPersonError } from '../core/errors.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { type ApprovalWaitInput, approvalWaitInput, approvalWaitOutput } from './approval-wait-schema.ts'
import type { RunnableStepType } from './runnable-step-type.ts'

/** Waits until a person says yes or no. */
export const approvalWait: RunnableStepType = {
  name: 'approval.wait',
  summary: 'Wait until a person approves.',
  description: 'The run waits until somebody says yes or no with `audience runs approve`; a no fails the step.',
  input: approvalWaitInput,
  check: (input) => violationsOf(validators['approval.wait'], input),
  output: approvalWaitOutput,
  startsJob: false,
  async run({ decision, runId, stepKey }, request) {
    // The engine has checked the input against the schema.
    const { message } = request.input as unknown as ApprovalWaitInput
    if (decision === 'approved') return { decision }
    const command = `audience runs approve ${runId} ${stepKey}`
    if (decision === 'rejected') {
      throw new AudienceError({
        code: 'approval-rejected',
        kind: 'failed',
        message: `step "${stepKey}" was not approved`,
        hint: 'nothing after it was done; start a new run when that has changed',
      })
    }
    throw new NeedsPersonError('approval', {
      code: 'approval-needed',
      message: message ?? `step "${stepKey}" waits for an approval`,
      hint: `\`${command}\`, with --reject to say no`,
    })
  },
}
