import type { PlanSummary } from '../../pipeline/plan-summary.ts'
import type { StepPlan } from '../../pipeline/step-plan.ts'

/** In the order of the sentence; what is not here changes nothing and is not counted. */
const PARTS: readonly (readonly [StepPlan['action'], string])[] = [
  ['upload', 'to upload'],
  ['create', 'to create'],
  ['update', 'to update'],
  ['refresh', 'to refresh'],
  ['replace', 'to replace'],
  ['delete', 'to delete'],
  ['send', 'to send'],
  ['run', 'to run'],
  ['leave', 'unchanged'],
  ['afterRun', 'decided during the run'],
  ['fail', 'would fail'],
]

/** `Plan: 2 to create, 1 to refresh, 1 unchanged`. */
export function planSentence(summary: PlanSummary): string {
  const parts = PARTS.flatMap(([action, words]) => (summary[action] ? [`${summary[action]} ${words}`] : []))
  return `Plan: ${parts.join(', ') || 'nothing to do'}`
}
