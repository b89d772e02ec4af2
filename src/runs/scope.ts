import { isoTime } from '../core/iso-time.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { isBlock, type Pipeline, type StepOrBlock, sectionEntries } from '../core/pipeline.ts'
import type { StepOutputs } from '../core/run.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { type Scope, toExpressionValue } from '../expressions/values.ts'
import { failedSteps, needsFailed, settledOf } from './failures.ts'
import { inputsSchema } from './input-schema.ts'
import type { Item } from './item.ts'
import { executionSchema, outputSchema } from './output-schema.ts'
import type { RunFacts } from './run-facts.ts'
import type { RunState, StepState } from './run-state.ts'

/** The position of an expression: its step, its item in a forEach, and, in `expect`, the outputs. */
export interface Place {
  readonly step?: StepOrBlock
  readonly item?: Item
  readonly outputs?: Json
}

/** What the expressions of a run can read now; with `step` and `item`, the expressions of a step. */
export function scopeOf(facts: RunFacts, { step, item, outputs }: Place = {}): Scope {
  const { pipeline, state, env, stepTypes } = facts
  const failed = failedSteps(pipeline.steps, state)[0]
  const error = failed?.settled.error
  const steps = once(() => stepsOf(facts, item))
  const trigger = once(() => toExpressionValue({}, state.submission.trigger) as JsonObject)
  const last = once(() => lastOf(facts, step, item))
  // Absent parts are left out, because an expression can test for them with has().
  const parts = withoutUndefined({
    variables: state.variables && readableVariables(pipeline, state.variables),
    item: item && itemScope(item),
    outputs:
      outputs !== undefined && step && !isBlock(step)
        ? toExpressionValue(executionSchema(step, stepTypes), outputs)
        : undefined,
  })
  // A forEach may have thousands of items that each evaluate expressions, so only the values that they read are
  // converted.
  return {
    get inputs() {
      return inputsOf(facts)
    },
    get steps() {
      return steps()
    },
    get trigger() {
      return trigger()
    },
    get last() {
      return last()
    },
    run: withoutUndefined({
      id: facts.runId,
      pipeline: pipeline.name,
      profile: state.submission.profile,
      startedAt: isoTime(state.startedAt),
      failedStep: failed && (error?.step ?? failed.step.id),
      error: failed && (error?.message ?? ''),
    }),
    env,
    failed:
      step && isInOrder(pipeline, step, item)
        ? needsFailed(step, besideOf(pipeline, item), state, item)
        : failed !== undefined,
    ...parts,
  }
}

/** Variables in the form that expressions read, because in recorded JSON an integer and a number look alike. */
export function readableVariables({ variables }: Pick<Pipeline, 'variables'>, values: JsonObject): JsonObject {
  const readable = Object.entries(values).map(([name, value = null]) => [
    name,
    toExpressionValue(variables[name]?.schema ?? {}, value),
  ])
  return Object.fromEntries(readable)
}

/** The inputs of a run never change, and each of its thousands of items may read them. They are freed with the run. */
const inputsOfRuns = new WeakMap<RunState['submission'], JsonObject>()

function inputsOf({ pipeline, state: { submission } }: RunFacts): JsonObject {
  const known = inputsOfRuns.get(submission)
  if (known) return known
  const inputs = toExpressionValue(inputsSchema(pipeline), submission.inputs) as JsonObject
  inputsOfRuns.set(submission, inputs)
  return inputs
}

/** An item is recorded as JSON, where an integer and a number look alike. */
function itemScope({ of: { forEach }, index, value }: Item): NonNullable<Scope['item']> {
  return { name: forEach.as, index, value: toExpressionValue(forEach.itemSchema ?? {}, value) }
}

/** Fields that are computed when they are read, because most expressions read one item of a list of thousands. */
function lazyFields(fields: Readonly<Record<string, () => Json>>): JsonObject {
  const lazy = {}
  for (const [name, read] of Object.entries(fields)) {
    Object.defineProperty(lazy, name, { enumerable: true, get: once(read) })
  }
  return lazy
}

function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: read() }
    return known.value
  }
}

/** The steps that a step can need: the steps of its block, or the steps of the run. */
export function besideOf(pipeline: Pipeline, item: Item | undefined): readonly StepOrBlock[] {
  return item && isBlock(item.of) ? item.of.steps : pipeline.steps
}

/**
 * Whether a step is in a section in which steps can need each other. Steps directly in onFailure or finally are not.
 */
function isInOrder(pipeline: Pipeline, step: StepOrBlock, item: Item | undefined): boolean {
  return besideOf(pipeline, item).includes(step)
}

/** `last` for a step, from the outputs of the last successful run. */
function lastOf({ state, pipeline, stepTypes }: RunFacts, step: StepOrBlock | undefined, item?: Item): JsonObject {
  const { last = 'none' } = state
  return last === 'none' ? {} : lastOutputs(last.steps, { pipeline, stepTypes, step, item })
}

/**
 * The outputs of the last successful run: `{ steps: { ID: { outputs } }, outputs }`. The second `outputs` are the
 * outputs of this step. In a block, the outputs of this step and of the other steps in the block are those for the item
 * with the same key.
 */
export function lastOutputs(
  last: StepOutputs,
  place: Pick<RunFacts, 'pipeline' | 'stepTypes'> & {
    step: StepOrBlock | undefined
    item: Item | undefined
  },
): JsonObject {
  const { pipeline, stepTypes, item } = place
  const steps: Record<string, () => Json> = {}
  const note = (step: StepOrBlock, outputs: Json | undefined) => {
    if (outputs !== undefined)
      steps[step.id] = () => ({ outputs: toExpressionValue(outputSchema(step, stepTypes), outputs) })
  }
  for (const step of pipeline.steps) note(step, last[step.id])
  if (item && isBlock(item.of)) {
    const inside = lastOfItem(last[item.of.id], item)
    for (const step of item.of.steps) note(step, inside[step.id])
  }
  const all = lazyFields(steps)
  const id = place.step?.id
  if (id === undefined || !Object.hasOwn(steps, id)) return { steps: all }
  return lazyFields({ steps: () => all, outputs: () => (all[id] as { readonly outputs: Json }).outputs })
}

/** The `steps` of the item with the same key, in the outputs of a block in an earlier run. */
function lastOfItem(outputs: Json | undefined, { key, index }: Item): JsonObject {
  const wanted = key ?? String(index)
  const isSame = (result: Json | undefined) => isJsonObject(result) && result.key === wanted
  const results: readonly Json[] = Array.isArray(outputs) ? outputs : []
  // Most items keep their position from night to night.
  const same = isSame(results[index]) ? results[index] : results.find(isSame)
  return isJsonObject(same) && isJsonObject(same.steps) ? same.steps : {}
}

/** How the steps ended; in a block, including the steps of the same item. */
function stepsOf(facts: RunFacts, item: Item | undefined): JsonObject {
  const steps: Record<string, () => Json> = {}
  const note = (step: StepOrBlock, settled: StepState['settled']) => {
    if (!settled) return
    const { status, outputs } = settled
    const converted = () => toExpressionValue(outputSchema(step, facts.stepTypes), outputs ?? null)
    steps[step.id] = () => withoutUndefined({ status, outputs: outputs === undefined ? undefined : converted() })
  }
  for (const step of sectionEntries(facts.pipeline)) note(step, settledOf(step, facts.state))
  if (item && isBlock(item.of)) for (const step of item.of.steps) note(step, settledOf(step, facts.state, item))
  return lazyFields(steps)
}
