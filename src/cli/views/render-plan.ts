import type { Untrusted } from '../../config/untrusted-settings.ts'
import { describeChange, describeListChange } from '../../core/format/field-change.ts'
import { count } from '../../core/format/figures.ts'
import type { JsonObject } from '../../core/json.ts'
import { printableData } from '../../core/printable.ts'
import type { StepOutputs } from '../../core/run.ts'
import { COUNTED_ACTIONS, type PlanSummary, planSummary } from '../../pipeline/plan-summary.ts'
import type { StepPlan } from '../../pipeline/step-plan.ts'
import { describeGuardPlan } from '../../runs/guards/plan-guard.ts'
import { describeInputs } from './describe-inputs.ts'
import { describeOutputs } from './describe-outputs.ts'
import type { Style } from './style.ts'
import { writeTime } from './write-time.ts'

export interface PlanView {
  readonly pipeline: string
  /** The variables that are known now, and the names of the variables that only a run can compute. */
  readonly variables?: JsonObject
  readonly unknownVariables?: readonly string[]
  readonly steps: readonly StepPlan[]
  readonly summary: PlanSummary
  /** Whether a run would change something. Also true if only the run can tell. */
  readonly changes: boolean
  readonly untrusted?: Untrusted
  readonly lastRun?: { readonly runId: string; readonly submittedAt: string }
}

const COLOURS = {
  prepare: 'cyan',
  create: 'green',
  upload: 'green',
  update: 'yellow',
  refresh: 'yellow',
  delete: 'red',
  replace: 'red',
  fail: 'red',
  leave: 'dim',
  read: 'dim',
  skip: 'dim',
  send: 'cyan',
  wait: 'cyan',
  run: 'cyan',
  afterRun: 'cyan',
} as const satisfies Record<StepPlan['action'], string>

/** What people see instead of the names of these actions. */
export const WORDS: Partial<Record<StepPlan['action'], string>> = {
  afterRun: 'decided during the run',
  leave: 'unchanged',
}

/** A plan for people: one line per step with what it does and why, then its requests and guards. */
export function renderPlan(given: PlanView, outputs: StepOutputs | undefined, style: Style): string[] {
  const plan = printableData(given)
  const last = printableData(outputs)
  const { lastRun } = plan
  const width = Math.max(...plan.steps.map(({ id }) => id.length))
  return [
    `plan of ${plan.pipeline}; nothing is sent`,
    lastRun
      ? `last successful run: ${lastRun.runId}, ${writeTime(Date.parse(lastRun.submittedAt))}`
      : 'no run has succeeded yet',
    ...variableLines(plan),
    '',
    ...plan.steps.flatMap((step) => stepLines(step, width, last?.[step.id], style)),
    '',
    style('bold', planSentence(plan.summary)),
  ]
}

function variableLines({ variables = {}, unknownVariables = [] }: PlanView): string[] {
  const all = [describeInputs(variables), ...unknownVariables.map((name) => `${name} (known only during the run)`)]
  const shown = all.filter((text) => text !== '')
  return shown.length > 0 ? [`variables: ${shown.join(', ')}`] : []
}

function stepLines(step: StepPlan, width: number, last: StepOutputs[string] | undefined, style: Style): string[] {
  const indent = ' '.repeat(width + 4)
  const action = style(COLOURS[step.action], WORDS[step.action] ?? step.action)
  const changed = step.changed && step.changed.length > 0 ? ` (${step.changed.join(', ')})` : ''
  const facts = last === undefined ? '' : describeOutputs(last)
  const items = planItems(step)
  return [
    `  ${step.id.padEnd(width)}  ${action}${changed}${step.why ? `: ${step.why}` : ''}  ${style('dim', step.uses)}`,
    ...(step.hint === undefined ? [] : [`${indent}What to do: ${step.hint}`]),
    ...changeLines(step).map((line) => `${indent}${line}`),
    ...step.requests.map(({ method, path }) => `${indent}${method} ${path}`),
    // If the whole step depends on unknown values, its reason names them.
    ...(step.unknown.length > 0 && step.action !== 'afterRun'
      ? [`${indent}known during the run: ${step.unknown.join(', ')}`]
      : []),
    ...step.guards.map(({ check, state }) => `${indent}${GUARDS[state]} ${check}`),
    ...(step.guard ? describeGuardPlan(step.guard).map((line) => `${indent}${line}`) : []),
    ...(facts ? [style('dim', `${indent}last run: ${facts}`)] : []),
    ...items.shown.flatMap((item) => stepLines({ ...item, id: item.name }, width, undefined, style)),
    ...(items.rest ? [`  ${items.rest}`] : []),
  ]
}

/** What a step changes: each field with its values, and the figures of a list. */
export function changeLines({ changes = [], list }: StepPlan): string[] {
  return [...changes.map(describeChange), ...(list ? [`list: ${describeListChange(list)}`] : [])]
}

export const GUARDS = { holds: 'is true:', fails: 'IS FALSE:', afterRun: 'checked during the run:' } as const

const COUNTED_WORDS: Readonly<Record<(typeof COUNTED_ACTIONS)[number], string>> = {
  upload: 'to upload',
  create: 'to create',
  update: 'to update',
  refresh: 'to refresh',
  replace: 'to replace',
  delete: 'to delete',
  send: 'to send',
  run: 'to run',
  leave: 'unchanged',
  afterRun: 'decided during the run',
  fail: 'would fail',
}

/** `Plan: 2 to create, 1 to refresh, 1 unchanged`. */
export function planSentence(summary: PlanSummary): string {
  const parts = COUNTED_ACTIONS.flatMap((action) =>
    summary[action] ? [`${summary[action]} ${COUNTED_WORDS[action]}`] : [],
  )
  return `Plan: ${parts.join(', ') || 'nothing to do'}`
}

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
