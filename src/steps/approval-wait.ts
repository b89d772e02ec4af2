import { AudienceError, NeedsPersonError } from '../core/errors.ts'
import { defineStep } from './define-step.ts'
import { nothingYet } from './nothing-yet.ts'

/** Waits until a person says yes or no. */
export const approvalWait = defineStep({
  name: 'approval.wait',
  summary: 'Wait until a person approves.',
  description: 'The run waits until somebody says yes or no with `audience runs approve`; a no fails the step.',
  input: {
    type: 'object',
    properties: {
      message: { type: 'string', maxLength: 1000, description: 'What the person is asked.' },
    },
  },
  output: {
    type: 'object',
    required: ['decision'],
    properties: { decision: { enum: ['approved'], description: 'What the person said; a no fails the step.' } },
  },
  async run({ input: { message }, context: { decision, runId, stepKey } }) {
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
  plan: () => nothingYet('wait'),
})
