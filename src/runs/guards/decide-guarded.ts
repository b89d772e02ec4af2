import type { Step } from '../../core/pipeline.ts'
import type { StepRef } from '../../core/run.ts'
import { askApproval } from '../ask-approval.ts'
import { type Decision, record } from '../decision.ts'
import type { RunFacts } from '../run-facts.ts'
import type { StepState } from '../run-state.ts'
import { guardReport, isBreached } from './guard-report.ts'

/**
 * What to do after the guard of a step has measured; undefined if the step must do its work. The step waits for a
 * person, and then ends with the outputs that it already had: its work is not done again.
 */
export function decideGuarded(
  facts: RunFacts,
  { step, ref, known }: { step: Step; ref: StepRef; known: StepState },
): Decision | undefined {
  const { guard } = known
  if (!guard || !isBreached(guard)) return undefined
  const error = guardReport(facts, step, ref, guard)
  switch (guard.verdict) {
    case 'held':
      return record(askApproval(facts, ref, { notBy: step.guard?.notBy }, error))
    case 'approved':
      return record({ type: 'step.finished', ...ref, status: 'succeeded', outputs: guard.outputs ?? {} })
    case 'rejected':
    case 'failed':
      return record({ type: 'step.finished', ...ref, status: 'failed', error })
    default:
      return undefined
  }
}
