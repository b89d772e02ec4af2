import { NOT_BY } from '../core/approval.ts'
import { DURATION_PATTERN, parseDuration } from '../core/duration.ts'
import { failedError, NeedsPersonError } from '../core/errors.ts'
import { approvalCommands } from '../runs/approval-terms.ts'
import { describeSignature } from '../runs/describe-signed.ts'
import { defineStep } from './define-step.ts'
import { nothingYet } from './nothing-yet.ts'

/** Waits until a person says yes or no. */
export const approvalWait = defineStep({
  name: 'approval.wait',
  summary: 'Wait until a person approves.',
  description:
    'The run waits until somebody says yes or no with `audience runs approve` or in the console; if they say no, the step fails.',
  input: {
    type: 'object',
    properties: {
      message: { type: 'string', maxLength: 1000, description: 'What the person is asked.' },
      timeout: {
        type: 'string',
        pattern: DURATION_PATTERN,
        description: 'How long the step waits before it fails, such as 30s, 15m, 2h or 7d. Default: no limit.',
      },
      approvers: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        items: { type: 'string', minLength: 1, maxLength: 100 },
        description:
          'The names of those who may decide. The command line uses the name of the user or of --by, which proves nothing; the console uses the name that it has verified.',
      },
      notBy: {
        enum: NOT_BY,
        description: 'Who may not decide. submitter: whoever started the run, or gave it its file or its slot.',
      },
      comment: { enum: ['optional', 'required'], description: 'Whether the person must say why. Default: optional.' },
    },
  },
  output: {
    type: 'object',
    required: ['decision'],
    properties: {
      decision: { enum: ['approved'], description: 'The answer of the person; if they say no, the step fails.' },
    },
  },
  async run({
    input: { message, timeout, approvers, notBy, comment },
    context: { decision, decidedBy = {}, runId, stepKey },
  }) {
    if (decision === 'approved') return { decision }
    if (decision === 'rejected') {
      throw failedError(
        'approval-rejected',
        `step "${stepKey}" was not approved${describeSignature(decidedBy)}`,
        'no later step ran; start a new run when the objection is resolved',
      )
    }
    const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout)
    const terms = {
      approvers,
      needsComment: comment === 'required' ? (true as const) : undefined,
      timeoutMs,
    }
    const [approve] = approvalCommands(runId, stepKey, terms)
    const details = {
      code: 'approval-needed',
      message: message ?? `step "${stepKey}" waits for an approval`,
      hint: `\`${approve}\`, with --reject to say no${approvers ? `; by ${approvers.join(' or ')}` : ''}${timeout === undefined ? '' : `; it fails after ${timeout}`}`,
    }
    throw new NeedsPersonError('approval', details, { ...terms, notBy })
  },
  plan: () => nothingYet('wait'),
})
