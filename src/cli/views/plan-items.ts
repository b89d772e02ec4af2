import { count } from '../../core/format/figures.ts'
import { planSummary } from '../../pipeline/plan-summary.ts'
import type { StepPlan } from '../../pipeline/step-plan.ts'
import { planSentence } from './plan-sentence.ts'

/** How many executions of a forEach are shown. Those that would fail are always shown. */
const MOST_SHOWN = 60

/** The executions of a forEach to show, each with its name, and a line about the others. */
export function planItems({ id, items = [] }: StepPlan): {
  readonly shown: readonly (StepPlan & { readonly name: string })[]
  readonly rest?: string
} {
  // If only one is left, its own row takes no more space than a line about it.
  const isShown = ({ action }: StepPlan, place: number) =>
    place < MOST_SHOWN || action === 'fail' || items.length === MOST_SHOWN + 1
  const shown = items.filter(isShown).map((item) => ({ ...item, name: nameOf(item, id) }))
  const others = items.filter((item, place) => !isShown(item, place))
  if (others.length === 0) return { shown }
  const sentence = planSentence(planSummary(others)).replace('Plan: ', '')
  return { shown, rest: `and ${count(others.length, 'more execution')} of ${id}: ${sentence}; --json shows all` }
}

function nameOf({ execution, label, id }: StepPlan, block: string): string {
  if (execution === undefined) return `${block}[…].${id}`
  return label === undefined ? execution : `${execution} ${label}`
}
