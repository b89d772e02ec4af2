import { dirname, resolve } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Expression, Pipeline, Step, Template } from '../core/pipeline.ts'
import type { StepOutputs } from '../core/run.ts'
import type { StepType } from '../core/step-type.ts'
import { evaluateCondition, evaluateTemplate } from '../expressions/evaluate.ts'
import { expressionsOf, referencesOf } from '../expressions/tree-of.ts'
import { type Scope, toExpressionValue, toInput } from '../expressions/values.ts'
import { withFiles } from '../expressions/with-files.ts'
import type { GuardPlan } from '../runs/guards/plan-guard.ts'
import type { Forecast, ForecastStep } from './forecast.ts'
import { isKnownBefore, planVariables } from './plan-variables.ts'

/** What a run would do, step by step. */
export interface StepPlan extends Omit<Forecast, 'action' | 'complete'> {
  readonly id: string
  readonly uses: string
  /** `skip`: the step's `if` is false. */
  readonly action: Forecast['action'] | 'skip'
  /** Fields of `with` that are known only during the run. */
  readonly unknown: readonly string[]
  readonly guards: readonly Check[]
  /** What its `guard` would judge by. */
  readonly guard?: GuardPlan
  /** For a forEach with known items: the plan for each item. */
  readonly items?: readonly StepPlan[]
}

/** An expectation. */
interface Check {
  readonly check: string
  readonly state: 'holds' | 'fails' | 'afterRun'
}

export interface PlanDeps {
  readonly pipeline: Pipeline
  readonly inputs: JsonObject
  readonly env: Readonly<Record<string, string>>
  /** The outputs of the last successful run, by step. */
  readonly last: StepOutputs | undefined
  readonly cwd: string
  readonly stepTypes: ReadonlyMap<string, StepType>
  readonly forecast: ForecastStep
  /** What the guards of steps have learned, by step. */
  readonly guards: ReadonlyMap<string, GuardPlan>
}

/** What is known about the variables and the earlier steps. */
interface Known {
  readonly variables: JsonObject
  readonly outputs: Map<string, { readonly outputs: Json; readonly complete: boolean }>
  /** Segments that the earlier steps rebuild. */
  readonly rebuilt: Set<string>
}

/** Works out what a run would do now. Reads the service through `forecast`; what depends on a write stays unknown. */
export async function planPipeline(deps: PlanDeps): Promise<readonly StepPlan[]> {
  const { values: variables } = planVariables(deps.pipeline, deps.inputs)
  const known: Known = { variables, outputs: new Map(), rebuilt: new Set() }
  const plans: StepPlan[] = []
  const done = new Set<string>()
  while (done.size < deps.pipeline.steps.length) {
    for (const step of deps.pipeline.steps) {
      if (done.has(step.id) || !step.needs.every((need) => done.has(need))) continue
      done.add(step.id)
      const guard = deps.guards.get(step.id)
      plans.push({ ...(await planStep(step, deps, known)), ...(guard && { guard }) })
    }
  }
  return plans
}

async function planStep(step: Step, deps: PlanDeps, known: Known): Promise<StepPlan> {
  const open = { id: step.id, uses: step.uses, requests: [], outputs: {}, unknown: [], guards: guardsAfterRun(step) }
  if (step.if && !isKnown(step.if, known))
    return { ...open, action: 'afterRun', why: 'its `if` depends on earlier steps' }
  if (step.if && !evaluateCondition(step.if, scopeOf(deps, known, step)))
    return { ...open, action: 'skip', why: 'its `if` is false' }
  if (!step.forEach) {
    const { complete, ...plan } = await planOnceOrFailure(step, deps, known)
    known.outputs.set(step.id, { outputs: plan.outputs, complete })
    return plan
  }
  if (!expressionsOf(step.forEach.items).every((expression) => isKnown(expression, known))) {
    return { ...open, action: 'afterRun', why: 'its items depend on earlier steps' }
  }
  const value = evaluateTemplate(step.forEach.items, scopeOf(deps, known, step))
  const items = []
  for (const item of Array.isArray(value) ? value : []) items.push(await planOnceOrFailure(step, deps, known, item))
  const complete = items.every((item) => item.complete)
  known.outputs.set(step.id, { outputs: items.map(({ outputs }) => outputs), complete })
  const action = new Set(items.map((item) => item.action)).size === 1 ? (items[0]?.action ?? 'skip') : 'run'
  return {
    ...open,
    action,
    why: `for each of ${items.length} items`,
    guards: [],
    items: items.map(({ complete: _, ...plan }) => plan),
  }
}

/** A step that would fail, such as for a missing file, does not keep the others from being planned. */
async function planOnceOrFailure(
  step: Step,
  deps: PlanDeps,
  known: Known,
  item?: Json,
): Promise<StepPlan & { complete: boolean }> {
  try {
    return await planOnce(step, deps, known, item)
  } catch (error) {
    if (!(error instanceof AudienceError) || error.kind === 'unavailable' || error.kind === 'interrupted') throw error
    const { id, uses } = step
    const guards = guardsAfterRun(step)
    return {
      id,
      uses,
      action: 'fail',
      why: error.message,
      requests: [],
      outputs: {},
      unknown: [],
      guards,
      complete: false,
    }
  }
}

async function planOnce(
  step: Step,
  deps: PlanDeps,
  known: Known,
  item?: Json,
): Promise<StepPlan & { complete: boolean }> {
  const type = deps.stepTypes.get(step.uses)
  const scope = scopeOf(deps, known, step, item)
  const given: Record<string, Json> = {}
  const unknown: string[] = []
  for (const [name, template] of Object.entries(fieldsOf(step.with))) {
    if (expressionsOf(template).every((expression) => isKnown(expression, known)))
      given[name] = evaluateTemplate(template, scope)
    else unknown.push(name)
  }
  const { pipeline } = deps
  const folder = resolve(deps.cwd, dirname(pipeline.file))
  const input = type ? toInput(type.input, withFiles(given, type.input, folder)) : given
  const question = {
    pipeline: pipeline.name,
    stepId: step.id,
    uses: step.uses,
    input: isJsonObject(input) ? input : {},
    unknown,
    rebuilt: known.rebuilt,
  }
  const forecast = await deps.forecast(question)
  const { segmentId } = forecast.outputs
  if (forecast.action === 'refresh' && typeof segmentId === 'string') known.rebuilt.add(segmentId)
  const outputs = type ? toExpressionValue(type.output, forecast.outputs) : forecast.outputs
  const guards = forecast.complete ? guardsNow(step, { ...scope, outputs }, known) : guardsAfterRun(step)
  return { id: step.id, uses: step.uses, ...forecast, unknown, guards }
}

function guardsNow(step: Step, scope: Scope, known: Known): Check[] {
  return step.expect.map(({ check }) => ({
    check: check.source.trim(),
    state: !isKnown(check, known) ? 'afterRun' : evaluateCondition(check, scope) ? 'holds' : 'fails',
  }))
}

function guardsAfterRun(step: Step): Check[] {
  return step.expect.map(({ check }) => ({ check: check.source.trim(), state: 'afterRun' }))
}

function scopeOf({ pipeline, inputs, env, last, stepTypes }: PlanDeps, known: Known, step: Step, item?: Json): Scope {
  const types = new Map(pipeline.steps.map(({ id, uses }) => [id, stepTypes.get(uses)]))
  const inExpressions = (id: string, outputs: Json) => {
    const schema = types.get(id)?.output ?? {}
    return Array.isArray(outputs)
      ? outputs.map((one: Json) => toExpressionValue(schema, one))
      : toExpressionValue(schema, outputs)
  }
  const steps = [...known.outputs].map(([id, { outputs }]) => [
    id,
    { status: 'succeeded', outputs: inExpressions(id, outputs) },
  ])
  const lastSteps = Object.entries(last ?? {}).map(
    ([id, outputs]) => [id, { outputs: inExpressions(id, outputs) }] as const,
  )
  const own = lastSteps.find(([id]) => id === step.id)?.[1].outputs
  return {
    inputs,
    variables: known.variables,
    env,
    trigger: { kind: 'manual' },
    steps: Object.fromEntries(steps),
    ...(last && { last: { steps: Object.fromEntries(lastSteps), ...(own !== undefined && { outputs: own }) } }),
    failed: false,
    ...(item !== undefined && step.forEach && { item: { name: step.forEach.as, value: item } }),
  }
}

function fieldsOf(template: Template): Readonly<Record<string, Template>> {
  if (template.kind === 'map') return template.entries
  if (template.kind !== 'value' || !isJsonObject(template.value)) return {}
  const entries = Object.entries(template.value).map(([name, value]) => [name, { kind: 'value', value: value ?? null }])
  return Object.fromEntries(entries)
}

/**
 * Whether everything that an expression reads is known now: nothing of the run itself, and only the forecast parts of
 * steps.
 */
function isKnown(expression: Expression, known: Known): boolean {
  const references = referencesOf(expression)
  if (!isKnownBefore(references, known.variables)) return false
  return references.reads.every(({ root, path }) => root !== 'steps' || isForecast(path, known))
}

/** Whether the value at a path of `steps` was forecast: `seg.status`, or the field `seg.outputs.segmentId`. */
function isForecast([id, , field]: readonly (string | undefined)[], known: Known): boolean {
  const step = id === undefined ? undefined : known.outputs.get(id)
  if (!step) return false
  if (step.complete) return true
  return field !== undefined && isJsonObject(step.outputs) && step.outputs[field] !== undefined
}
