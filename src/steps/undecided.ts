import type { StepContext } from '../core/engine.ts'
import { NeedsPersonError } from '../core/errors.ts'
import { shellWord } from '../core/shell-word.ts'

/** The command with which a person decides about a step in doubt. */
export function decisionCommand({ runId, stepKey }: Pick<StepContext, 'runId' | 'stepKey'>): string {
  return `\`audience runs resume ${runId} --step ${shellWord(stepKey)} --done|--again\``
}

/** The error for a thing that may be the step's own, without proof. `done`: what the step does if the answer is yes. */
export function undecided(
  kind: 'match' | 'activation',
  { message, done }: { readonly message: string; readonly done: string },
  context: Pick<StepContext, 'runId' | 'stepKey'>,
): NeedsPersonError {
  return new NeedsPersonError('decision', {
    code: `${kind}-undecided`,
    message,
    hint:
      `check in the service what is there, then ${decisionCommand(context)}: ` +
      `with --done the step ${done}, with --again it makes another ${kind}`,
  })
}
