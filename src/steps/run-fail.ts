import { AudienceError } from '../core/errors.ts'
import { defineStep } from './define-step.ts'

/** Fails with the document's own message. */
export const runFail = defineStep({
  name: 'run.fail',
  summary: 'End the run as failed, with a message.',
  description: 'For a condition that nobody can work with: give it an `if`. Steps that do not need it end first.',
  input: {
    type: 'object',
    required: ['message'],
    properties: {
      message: {
        type: 'string',
        pattern: '\\S',
        maxLength: 1000,
        description: 'Why, for those who read of the failure.',
      },
    },
  },
  output: { type: 'object', properties: {} },
  run({ input: { message } }) {
    throw runFailed(message)
  },
  plan: ({ input: { message } }) => ({
    action: 'fail',
    ...(message !== undefined && { why: message }),
    requests: [],
    outputs: {},
    complete: false,
  }),
})

function runFailed(message: string): AudienceError {
  return new AudienceError({
    code: 'run-failed',
    kind: 'failed',
    message,
    hint: 'the document ends the run here, with run.fail; correct what it names, then run it again',
  })
}
