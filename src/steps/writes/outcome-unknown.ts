import { type OperationId, operationOf } from '../../contract/operations.ts'
import type { StepContext } from '../../core/engine.ts'
import { NeedsPersonError } from '../../core/errors.ts'
import { decisionCommand } from '../undecided.ts'

/** The error for a write with an unknown outcome: what was sent, what was looked for, and what a person can do. */
export function outcomeUnknown(
  context: Pick<StepContext, 'runId' | 'stepKey'>,
  write: { operation: OperationId; lookedFor: string; found: string; cause?: unknown },
): NeedsPersonError {
  const { operation, lookedFor, found, cause } = write
  const { method, path } = operationOf(operation)
  return new NeedsPersonError('decision', {
    code: 'outcome-unknown',
    message: `step "${context.stepKey}" sent ${method} ${path} (${operation}) and got no answer; it looked for ${lookedFor}: ${found}`,
    hint:
      `find out at the service whether it was done, then ${decisionCommand(context)}: ` +
      '--done makes the step continue with what is there, --again sends it once more',
    cause,
  })
}
