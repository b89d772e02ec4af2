import { type AudienceError, failedError } from '../core/errors.ts'
import { defineStep } from './define-step.ts'
import { nothingYet } from './nothing-yet.ts'

/** Fails the run with the document's own message; in a forEach, fails only the item. */
export const runFail = defineStep({
  name: 'run.fail',
  summary: 'Fail on purpose, with a message.',
  description:
    'For input that no later step can work with; give the step an `if`. The run ends as failed once the steps that do not need this step have ended. In a forEach, only the item ends, and `maxFailures` counts it.',
  input: {
    type: 'object',
    required: ['message'],
    properties: {
      message: {
        type: 'string',
        pattern: '\\S',
        maxLength: 1000,
        description: 'The reason, for people who read about the failure.',
      },
    },
  },
  output: { type: 'object', properties: {} },
  run({ input: { message } }) {
    throw runFailed(message)
  },
  plan: ({ input: { message } }) => nothingYet('fail', message),
})

function runFailed(message: string): AudienceError {
  return failedError(
    'run-failed',
    message,
    'the document fails here on purpose, with run.fail; correct what the message names, then run it again',
  )
}
