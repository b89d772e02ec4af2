import { type OperationId, operationOf } from '../../contract/operations.ts'
import type { StepContext } from '../../core/engine.ts'
import { NeedsPersonError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-word.ts'

/** The error for a write with an unknown outcome: what was sent, what was looked for, and what a person can do. */
export function outcomeUnknown(
  { runId, stepKey }: Pick<StepContext, 'runId' | 'stepKey'>,
  write: { operation: OperationId; lookedFor: string; found: string; cause?: unknown },
): NeedsPersonError {
  const { operation, lookedFor, found, cause } = write
  const { method, path } = operationOf(operation)
  return new NeedsPersonError('decision', {
    code: 'outcome-unknown',
    message: `step "${stepKey}" sent ${method} ${path} (${operation}) and got no answer; it looked for ${lookedFor}: ${found}`,
    hint:
      `find out at the service whether it was done, then \`audience runs resume ${runId} --step ${shellWord(stepKey)} --done|--again\`: ` +
      '--done makes the step continue with what is there, --again sends it once more',
    cause,
  })
}
