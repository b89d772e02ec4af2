import { AudienceError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { type Block, isBlock, type Step, type StepOrBlock } from '../core/pipeline.ts'
import { evaluateCondition, evaluateTemplate } from '../expressions/evaluate.ts'
import { expand } from '../runs/expand.ts'
import { type Item, isLooping, type Looping, loopItems } from '../runs/item.ts'
import { isKnown, isTemplateKnown, type Known, planScope } from './plan-known.ts'
import { type ExecutionPlan, openPlan, planExecution } from './plan-step.ts'
import { planVariables } from './plan-variables.ts'
import type { PlanDeps, StepPlan } from './step-plan.ts'

/** What is known so far; it grows with each planned step. */
interface Growing extends Known {
  readonly outputs: Map<string, { readonly outputs: Json; readonly complete: boolean }>
  readonly rebuilt: Set<string>
}

/**
 * Works out what a run would do now. Reads the service through `forecast`. Whatever depends on a write stays unknown.
 */
export async function planPipeline(deps: PlanDeps): Promise<readonly StepPlan[]> {
  const { values: variables } = planVariables(deps)
  const plans = await planInOrder(deps.pipeline.steps, deps, {
    variables,
    outputs: new Map(),
    rebuilt: new Set(),
    unknownNames: deps.env ? [] : ['env'],
  })
  return plans.map(({ plan }) => plan)
}

/** Plans steps that may need each other, in the order in which they can run. */
async function planInOrder(
  steps: readonly StepOrBlock[],
  deps: PlanDeps,
  known: Growing,
  item?: Item,
): Promise<readonly ExecutionPlan[]> {
  const plans: ExecutionPlan[] = []
  const done = new Set<string>()
  while (done.size < steps.length) {
    for (const step of steps) {
      if (done.has(step.id) || !step.needs.every((need) => done.has(need))) continue
      done.add(step.id)
      const { plan, complete } = await planStep(step, deps, known, item)
      plans.push({ plan: { ...plan, ...guardOf(step, deps, item) }, complete })
    }
  }
  return plans
}

/** The limits that the guard of a step would use; in an item, the limits that were learned for this item. */
function guardOf({ id }: StepOrBlock, { guards }: PlanDeps, item: Item | undefined): Pick<StepPlan, 'guard'> {
  const guard = guards.get(id)
  if (!guard) return {}
  const { key } = item ?? {}
  if (key === undefined || guard.warmUp === undefined) return { guard }
  const learned = guard.learned.filter((one) => one.item === key)
  return { guard: { ...guard, learned: learned.length > 0 ? learned : [{ item: key, values: [] }] } }
}

async function planStep(step: StepOrBlock, deps: PlanDeps, known: Growing, item?: Item): Promise<ExecutionPlan> {
  const open = openPlan(step, item)
  const later = (why: string): ExecutionPlan => ({ plan: { ...open, action: 'afterRun', why }, complete: false })
  if (step.if && !isKnown(step.if, known)) return later('its `if` depends on earlier steps')
  if (step.if && !evaluateCondition(step.if, planScope(deps, known, step, item)))
    return { plan: { ...open, action: 'skip', why: 'its `if` is false' }, complete: false }
  if (isLooping(step)) {
    if (isTemplateKnown(step.forEach.items, known)) return planItems(step, deps, known)
    const unknown = later('its items depend on earlier steps')
    if (!isBlock(step)) return unknown
    const inside = { ...inner(known), unknownNames: [...known.unknownNames, step.forEach.as, 'index'] }
    const items = (await planInOrder(step.steps, deps, inside)).map(({ plan }) => plan)
    return { ...unknown, plan: { ...unknown.plan, items } }
  }
  const planned = await planExecution(step, deps, known, item)
  note(planned, known)
  return planned
}

function note({ plan, complete }: ExecutionPlan, known: Growing): void {
  known.outputs.set(plan.id, { outputs: plan.outputs, complete })
  const { segmentId } = plan.outputs
  if (plan.action === 'refresh' && typeof segmentId === 'string') known.rebuilt.add(segmentId)
}

/** Other items do not see the outputs of an item's steps, but they see which segments it rebuilds. */
function inner(known: Growing): Growing {
  return { ...known, outputs: new Map(known.outputs) }
}

async function planItems(step: Looping, deps: PlanDeps, known: Growing): Promise<ExecutionPlan> {
  const open = { ...openPlan(step), guards: [] }
  const expansion = tryExpand(step, deps, known)
  if ('problem' in expansion) return { plan: { ...open, action: 'fail', why: expansion.problem }, complete: false }
  const executions: ExecutionPlan[] = []
  const outputs: Json[] = []
  for (const item of loopItems(step, expansion)) {
    const plans = isBlock(step)
      ? await planInOrder(step.steps, deps, inner(known), item)
      : [await planItem(step, deps, known, item)]
    executions.push(...plans)
    outputs.push(isBlock(step) ? resultOf(step, item, plans) : (plans[0]?.plan.outputs ?? {}))
  }
  known.outputs.set(step.id, { outputs, complete: executions.every(({ complete }) => complete) })
  const items = executions.map(({ plan }) => plan)
  const actions = new Set(items.map(({ action }) => action))
  const action = actions.size === 1 ? (items[0]?.action ?? 'skip') : items.length === 0 ? 'skip' : 'run'
  const why = `for each of ${expansion.items.length} items`
  return { plan: { ...open, action, why, items }, complete: false }
}

async function planItem(step: Step, deps: PlanDeps, known: Growing, item: Item): Promise<ExecutionPlan> {
  const planned = await planExecution(step, deps, known, item)
  note({ ...planned, complete: false }, { ...known, outputs: new Map() })
  return planned
}

function resultOf({ steps }: Block, { key, index }: Item, plans: readonly ExecutionPlan[]): JsonObject {
  const outputs = steps.flatMap(({ id }) => {
    const known = plans.find(({ plan }) => plan.id === id && plan.action !== 'skip')
    return known ? [[id, known.plan.outputs] as const] : []
  })
  return { key: key ?? String(index), index, status: 'succeeded', steps: Object.fromEntries(outputs) }
}

function tryExpand(step: Looping, deps: PlanDeps, known: Growing) {
  const isKeyKnown = !step.forEach.key || isTemplateKnown(step.forEach.key, known)
  const { key: _, ...withoutKey } = step.forEach
  const looping = isKeyKnown ? step : { ...step, forEach: withoutKey }
  try {
    return expand(looping, (template, item) => evaluateTemplate(template, planScope(deps, known, step, item)))
  } catch (error) {
    if (error instanceof AudienceError) return { problem: error.message }
    throw error
  }
}
