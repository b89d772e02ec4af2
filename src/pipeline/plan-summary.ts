import type { StepPlan } from './step-plan.ts'

/** The actions whose counts people see, in this order. The other actions change nothing. */
export const COUNTED_ACTIONS = [
  'upload',
  'create',
  'update',
  'refresh',
  'replace',
  'delete',
  'send',
  'run',
  'leave',
  'afterRun',
  'fail',
] as const satisfies readonly StepPlan['action'][]

/** How many steps have each action. Each item of a forEach counts, and actions that do not occur are left out. */
export type PlanSummary = Readonly<Partial<Record<StepPlan['action'], number>>>

export function planSummary(steps: readonly StepPlan[]): PlanSummary {
  const summary: Partial<Record<StepPlan['action'], number>> = {}
  for (const { action } of steps.flatMap(executions)) summary[action] = (summary[action] ?? 0) + 1
  return summary
}

/**
 * Whether a run would change the service, or might, if that is known only during the run. An upload of a file changes
 * nothing yet.
 */
export function hasChanges(steps: readonly StepPlan[]): boolean {
  return steps
    .flatMap(executions)
    .some(
      ({ action, requests }) =>
        action === 'afterRun' || action === 'run' || (action !== 'upload' && requests.length > 0),
    )
}

/** Whether a step would fail. */
export function wouldFail(steps: readonly StepPlan[]): boolean {
  return steps.flatMap(executions).some(({ action }) => action === 'fail')
}

/** A step, or its items. */
function executions(step: StepPlan): readonly StepPlan[] {
  return step.items ?? [step]
}
