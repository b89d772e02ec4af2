import { stepKey } from '../core/run.ts'
import { shellWord } from '../core/shell-word.ts'
import { approvalCommands } from './approval-terms.ts'
import type { StepDescription } from './describe-run.ts'

/**
 * The commands for the possible answers to a step that waits for a person. Once an answer has been given, the only
 * command is the one that acts on it.
 */
export function answerCommands(runId: string, step: StepDescription): readonly string[] {
  const key = stepKey(step)
  const resume = `audience runs resume ${runId}`
  if (step.sent) return [resume]
  if (step.waitsFor === 'approval') return approvalCommands(runId, key, step.approval ?? {})
  return ['--done', '--again'].map((answer) => `${resume} --step ${shellWord(key)} ${answer}`)
}
