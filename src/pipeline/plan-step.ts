import { dirname, resolve } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import type { FieldChange, ListChange } from '../core/format/field-change.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import { mapValues } from '../core/map-values.ts'
import { isBlock, type Step, type StepOrBlock } from '../core/pipeline.ts'
import { stepKey } from '../core/run.ts'
import { evaluateCondition, evaluateTemplate } from '../expressions/evaluate.ts'
import { type Scope, toExpressionValue, toInput, withFiles } from '../expressions/values.ts'
import { maskPersonal } from '../policy/personal-data.ts'
import { type Item, memoryId, stepRefOf } from '../runs/item.ts'
import { itemLabel } from '../runs/item-label.ts'
import { isKnown, isTemplateKnown, type Known, planScope } from './plan-known.ts'
import type { Check, Forecast, PlanDeps, StepPlan } from './step-plan.ts'

/** The plan for one execution of a step, and whether all of its outputs are known. */
export interface ExecutionPlan {
  readonly plan: StepPlan
  readonly complete: boolean
}

/** What an execution of a step would do now; if an item is given, the execution for that item. */
export async function planExecution(step: Step, deps: PlanDeps, known: Known, item?: Item): Promise<ExecutionPlan> {
  const open = openPlan(step, item)
  try {
    const { complete, ...plan } = await planOnce(step, deps, known, item)
    return { plan: { ...plan, ...executionOf(step, item) }, complete }
  } catch (error) {
    // If a step would fail, for example because of a missing file, the others are still planned.
    if (!(error instanceof AudienceError) || error.kind === 'unavailable' || error.kind === 'interrupted') throw error
    const hint = error.hint !== undefined && { hint: error.hint }
    return { plan: { ...open, action: 'fail', why: error.message, ...hint }, complete: false }
  }
}

/** A plan before anything is known about the execution. */
export function openPlan(step: StepOrBlock, item?: Item): Omit<StepPlan, 'action'> {
  const none = { requests: [], outputs: {}, unknown: [] }
  if (isBlock(step)) return { id: step.id, uses: 'forEach', ...none, guards: [] }
  return { id: step.id, uses: step.uses, ...executionOf(step, item), ...none, guards: checksAfterRun(step) }
}

function executionOf(step: Step, item: Item | undefined): Pick<StepPlan, 'execution' | 'label'> {
  if (!item) return {}
  const label = item.key === undefined ? itemLabel(item.value) : undefined
  return { execution: stepKey(stepRefOf(step, item)), label }
}

async function planOnce(
  step: Step,
  deps: PlanDeps,
  known: Known,
  item: Item | undefined,
): Promise<StepPlan & { complete: boolean }> {
  const ref = stepRefOf(step, item)
  const type = deps.stepTypes.get(step.uses)
  const scope = planScope(deps, known, step, item)
  const given: Record<string, Json> = {}
  const unknown: string[] = []
  for (const [name, template] of Object.entries(step.with.entries)) {
    if (isTemplateKnown(template, known)) given[name] = evaluateTemplate(template, scope)
    else unknown.push(name)
  }
  const { pipeline } = deps
  const folder = resolve(deps.cwd, dirname(pipeline.file))
  const input = type ? toInput(type.input, withFiles(given, type.input, folder)) : given
  const forecast = await deps.forecast({
    pipeline: pipeline.name,
    stepKey: stepKey(ref),
    stepId: memoryId(ref),
    uses: step.uses,
    env: pipeline.env,
    input: isJsonObject(input) ? input : {},
    unknown,
    rebuilt: known.rebuilt,
  })
  const outputs = type ? toExpressionValue(type.output, forecast.outputs) : forecast.outputs
  const guards = forecast.complete ? checksNow(step, { ...scope, outputs }, known) : checksAfterRun(step)
  const changes = forecast.changes?.map((change) => withoutPersonal(change, pipeline.text))
  const list = forecast.action === 'update' || forecast.action === 'refresh' ? listOf(forecast, known) : undefined
  return { id: step.id, uses: step.uses, ...forecast, changes, list, unknown, guards }
}

/**
 * Removes personal data, as in errors, because values from the service may be about people. The document's own text
 * stays.
 */
function withoutPersonal({ field, from, to }: FieldChange, text: string): FieldChange {
  const isOwn = (found: string) => text.includes(found)
  const clean = (value: Json): Json => {
    if (typeof value === 'string') return maskPersonal(value, isOwn)
    if (Array.isArray(value)) return value.map(clean)
    return isJsonObject(value) ? mapValues(value, (member) => clean(member ?? null)) : value
  }
  return { field, from: from === undefined ? undefined : clean(from), to: clean(to) }
}

/** The figures of the list that a segment is built from, if earlier steps of the plan gave them. */
function listOf({ changes = [] }: Forecast, known: Known): ListChange | undefined {
  const file = changes.find(({ field }) => field === 'segmentFileName')?.to
  const outputs = [...known.outputs.values()].flatMap((one) => (isJsonObject(one.outputs) ? [one.outputs] : []))
  const upload = outputs.find(({ name }) => name !== undefined && name === file)
  if (upload?.rows === undefined) return undefined
  const prepared = outputs.find(({ sha256, keys }) => keys !== undefined && sha256 === upload.sha256) ?? {}
  const figure = (value: Json | undefined) => (value === undefined || value === null ? undefined : Number(value))
  const { keys, added, removed } = prepared
  const rows = Number(prepared.rows ?? upload.rows)
  return { rows, keys: figure(keys), added: figure(added), removed: figure(removed) }
}

function checksNow(step: Step, scope: Scope, known: Known): Check[] {
  return step.expect.map(({ check }) => ({
    check: check.source.trim(),
    state: !isKnown(check, known) ? 'afterRun' : evaluateCondition(check, scope) ? 'holds' : 'fails',
  }))
}

function checksAfterRun(step: Step): Check[] {
  return step.expect.map(({ check }) => ({ check: check.source.trim(), state: 'afterRun' }))
}
