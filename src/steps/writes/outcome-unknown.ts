import { type OperationId, operationOf } from '../../contract/operations.ts'
import type { StepContext } from '../../core/engine.ts'
import { NeedsPersonError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-word.ts'

/** The attempt of a step that sent a request. */
export interface Sender {
  readonly runId: string
  /** Undefined if it is not remembered. */
  readonly attempt?: number
}

/**
 * The error for a write with an unknown outcome: what was sent, what was looked for, and what a person can do. Names
 * the sender if it was an earlier attempt of the step. `jobId`: the job that the request started.
 */
export function outcomeUnknown(
  context: Pick<StepContext, 'runId' | 'stepKey' | 'attempt'>,
  write: {
    operation: OperationId
    sentBy: Sender | undefined
    jobId?: string
    lookedFor: string
    found: string
    cause?: unknown
  },
): NeedsPersonError {
  const { operation, sentBy = context, jobId, lookedFor, found, cause } = write
  const isOfOtherRun = sentBy.runId !== context.runId
  const isEarlier = isOfOtherRun || (sentBy.attempt ?? context.attempt) !== context.attempt
  const attempt = isEarlier && sentBy.attempt !== undefined ? [`attempt ${sentBy.attempt}`] : []
  const sender = [...attempt, ...(isOfOtherRun ? [`run ${sentBy.runId}`] : [])].join(' of ')
  const sent = `(${operation})${sender && ` in ${sender}`}`
  const answer = jobId === undefined ? 'no answer' : `job ${jobId}`
  const { method, path } = operationOf(operation)
  return new NeedsPersonError('decision', {
    code: 'outcome-unknown',
    message: `step "${context.stepKey}" sent ${method} ${path} ${sent} and got ${answer}; it looked for ${lookedFor}: ${found}`,
    hint: hintTo(
      context,
      'whether it was done',
      '--done makes the step continue with what is there, --again sends it once more',
    ),
    cause,
  })
}

/**
 * The error for a thing that may be the step's own, although nothing proves it. `done`: what the step does if the
 * answer is yes.
 */
export function undecided(
  kind: 'match' | 'activation',
  { message, done }: { message: string; done: string },
  context: Pick<StepContext, 'runId' | 'stepKey'>,
): NeedsPersonError {
  return new NeedsPersonError('decision', {
    code: `${kind}-undecided`,
    message,
    hint: hintTo(context, 'what is there', `with --done the step ${done}, with --again it makes another ${kind}`),
  })
}

function hintTo({ runId, stepKey }: Pick<StepContext, 'runId' | 'stepKey'>, check: string, answers: string): string {
  const command = `audience runs resume ${runId} --step ${shellWord(stepKey)} --done|--again`
  return `check in the service ${check}, then \`${command}\`: ${answers}`
}
