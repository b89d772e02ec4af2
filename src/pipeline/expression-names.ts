import { closestHint, closestName, didYouMean } from '../core/did-you-mean.ts'
import { SETTLED_STATUSES } from '../core/format/statuses.ts'
import type { InputDeclaration } from '../core/pipeline.ts'
import type { Trigger } from '../core/trigger.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { type DocumentNode, entriesOf } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import { DYN, type MissingField, recordType, type Type, typeOfSchema } from '../expressions/types.ts'
import { inputSchema } from '../runs/input-schema.ts'
import type { OtherPipelines } from './outline.ts'
import type { BlockDraft, StepDraft } from './read-steps.ts'
import type { StepGraph } from './step-graph.ts'
import { triggerType } from './trigger-type.ts'

/**
 * The parts of a step on which the names in expressions depend. They come from a draft or from a pipeline that was
 * read.
 */
export type NamedStep = NamedBlock | NamedSingle
type NamedBlock = Pick<BlockDraft, 'section' | 'step' | 'block'>
type NamedSingle = Pick<StepDraft, 'section' | 'step' | 'type'> & { readonly block?: NamedBlock }

function isSingle(step: NamedStep): step is NamedSingle {
  return 'type' in step
}

/** The names that the expressions of one document can use, as types: from its declarations and its step types. */
export interface DocumentNames {
  /** The names for a step; if no step is given, for a position that belongs to the document as a whole. */
  in(place: {
    step?: NamedStep
    inExpect?: boolean
    /** The type of the item of the forEach that the position belongs to. */
    item?: Type
    /**
     * The value is written to the state or to events. Environment variables must not be used there, because they may be
     * secrets.
     */
    recorded?: boolean
  }): Names
  /** For the condition and the inputs of a trigger. */
  forTrigger(trigger: Trigger, others?: OtherPipelines): Names
  /** For positions that are evaluated before the run starts. */
  readonly beforeRun: Names
}

/** The names for variables: everything that is known when a run begins and may be recorded. */
export function namesForVariables(inputs: Type): Names {
  return { inputs, trigger: { kind: 'map' }, run: runType(undefined) }
}

export function documentNames(
  {
    inputs,
    env,
    variables,
  }: {
    inputs: Type
    env: readonly string[]
    variables: Type | undefined
  },
  drafts: readonly NamedStep[],
  graph: StepGraph,
): DocumentNames {
  const envNames = envType(env)
  const byId = new Map<string, NamedStep>()
  const twice = new Set<string>()
  for (const draft of drafts) {
    if (byId.has(draft.step.id)) twice.add(draft.step.id)
    else byId.set(draft.step.id, draft)
  }
  const entries = [...byId.values()].filter(({ block }) => block === undefined)
  const outputs = new Map([...byId].map(([id, draft]) => [id, twice.has(id) ? DYN : outputsType(draft, drafts)]))
  const all = new Map([...outputs].map(([id, type]) => [id, stepType(id, type)]))
  const ofRun = new Set(entries.map(({ step }) => step.id))
  const trigger: Type = { kind: 'map' }
  return {
    in({ step: draft, inExpect, item, recorded }) {
      const known = draft ? (graph.allNeeds.get(draft.step.id) ?? new Set<string>()) : ofRun
      const own = draft && outputs.get(draft.step.id)
      const beside = draft?.block ? [...byId.values()].filter(({ block }) => block === draft.block) : []
      const ofLast = [...entries, ...beside].map(({ step }) => [step.id, outputs.get(step.id) ?? DYN] as const)
      const forEach = (draft?.block ?? draft)?.step.forEach
      return withoutUndefined({
        inputs,
        variables,
        // Steps that could not be read have already been reported.
        steps: drafts.length === 0 ? DYN : stepsType({ known, byId, all, graph }, draft),
        trigger,
        run: runType(draft),
        env: recorded ? undefined : envNames,
        last: recordType('part of the last run', withoutUndefined({ steps: lastSteps(new Map(ofLast)), outputs: own })),
        outputs: inExpect && draft && isSingle(draft) ? singleOutputs(draft) : undefined,
        ...(item && forEach ? { index: { kind: 'int' } as const, [forEach.as]: item } : {}),
      })
    },
    forTrigger: (trigger, others) => ({ trigger: triggerType(trigger, others) }),
    beforeRun: { inputs, trigger },
  }
}

/**
 * The type of a document's inputs; `node` is the part that declares them. Wrong declarations have been reported; their
 * inputs may have any type.
 */
export function inputsType(node: DocumentNode | undefined, inputs: Readonly<Record<string, InputDeclaration>>): Type {
  if (node && node.kind !== 'map') return { kind: 'map' }
  const written = entriesOf(node).map(([name]) => [name, DYN] as const)
  const typed = Object.entries(inputs).map(([name, input]) => [
    name,
    typeOfSchema(inputSchema(input), `field of ${name}`),
  ])
  return recordType('input', Object.fromEntries([...written, ...typed]))
}

function outputsType(draft: NamedStep, drafts: readonly NamedStep[]): Type {
  if (!isSingle(draft)) return { kind: 'list', items: itemResultType(draft.step.id, drafts) }
  const single = singleOutputs(draft)
  return draft.step.forEach ? { kind: 'list', items: single } : single
}

/** The fields of an item in the outputs of a block. */
function itemResultType(block: string, drafts: readonly NamedStep[]): Type {
  const inside = drafts.filter(isSingle).filter((draft) => draft.block?.step.id === block)
  const steps = Object.fromEntries(inside.map((draft) => [draft.step.id, singleOutputs(draft)]))
  return recordType(`field of an item of ${block}`, {
    key: { kind: 'string' },
    index: { kind: 'int' },
    status: STEP_STATUS,
    error: { kind: 'string' },
    steps: recordType(`step of ${block}`, steps),
  })
}

/** The outputs of one execution of a step, even if the step has a forEach. */
function singleOutputs({ step, type }: NamedSingle): Type {
  return type ? typeOfSchema(type.output, `output of ${step.id} (${step.uses})`) : DYN
}

interface KnownSteps {
  /** The steps that are done before this position. */
  readonly known: ReadonlySet<string>
  readonly byId: ReadonlyMap<string, NamedStep>
  readonly all: ReadonlyMap<string, Type>
  readonly graph: StepGraph
}

function stepsType({ known, byId, all, graph }: KnownSteps, here: NamedStep | undefined): Type {
  const fields: Record<string, Type> = {}
  for (const id of known) fields[id] = all.get(id) ?? DYN
  const explainMissing = (name: string) => {
    const there = byId.get(name)
    return there ? whyNotKnown(there, here, graph) : unknownStep(name, known)
  }
  return recordType('step', fields, { closed: true, explainMissing })
}

/** Why an expression cannot read a step of the document. `here` is the step that the expression belongs to. */
function whyNotKnown(there: NamedStep, here: NamedStep | undefined, { allNeeds }: StepGraph): MissingField | undefined {
  const name = there.step.id
  const code = 'step-not-needed'
  if (there.block && there.block !== here?.block) {
    const { id } = there.block.step
    const message = `step ${name} is inside the forEach ${id}, and has outputs for each item`
    if (here === there.block) return { code, message, hint: `expressions in the steps of ${id} can read it` }
    return { code, message, hint: `for the first item, write steps.${id}.outputs[0].steps.${name}` }
  }
  if (!here) return undefined
  if (name === here.step.id) {
    const message = `step ${name} cannot refer to itself here`
    return { code, message, hint: 'in expect, write `outputs` to read its own outputs' }
  }
  if (here.block === there) {
    const message = `step ${here.step.id} is part of the forEach ${name}, so ${name} is not done before it`
    return { code, message, hint: `to read a step of the same item, write steps.ID` }
  }
  // The step that decides the order: this step, or the forEach around it.
  const waits = there.block ? here : (here.block ?? here)
  const isOrdered = there.block !== undefined || (waits.section === 'steps' && there.section === 'steps')
  if (!isOrdered) return { code, message: `step ${name} is not done before step ${here.step.id}` }
  if (allNeeds.get(name)?.has(waits.step.id)) {
    return {
      code,
      message: `step ${name} is done after step ${waits.step.id}`,
      hint: `read it in a step after ${name}`,
    }
  }
  const message = `step ${waits.step.id} does not need step ${name}, so ${name} may not be done before it`
  return { code, message, hint: `add ${name} to the needs of ${waits.step.id}` }
}

function stepType(id: string, outputs: Type): Type {
  const noun = `field of step ${id}`
  const fields = { outputs, status: STEP_STATUS }
  const known = outputs.kind === 'map' ? (outputs.record?.fields ?? {}) : {}
  const explainMissing = (name: string) => {
    const output = Object.hasOwn(known, name) ? name : closestName(name, Object.keys(known))
    if (output === undefined || closestName(name, Object.keys(fields)) !== undefined) return undefined
    const message = `${name} is not a ${noun}`
    return { code: 'unknown-field', message, hint: `write steps.${id}.outputs.${output}` } as const
  }
  return recordType(noun, fields, { explainMissing })
}

const STEP_STATUS: Type = { kind: 'string', values: SETTLED_STATUSES }

function lastSteps(outputs: ReadonlyMap<string, Type>): Type {
  const fields: Record<string, Type> = {}
  for (const [id, type] of outputs) fields[id] = recordType(`field of step ${id}`, { outputs: type })
  return recordType('step', fields, { explainMissing: (name) => unknownStep(name, outputs.keys()) })
}

function unknownStep(name: string, known: Iterable<string>): MissingField {
  return { code: 'unknown-step', message: `there is no step ${name}`, hint: didYouMean(name, [...known]) }
}

function runType(draft: NamedStep | undefined): Type {
  const always: Record<string, Type> = {
    id: { kind: 'string' },
    pipeline: { kind: 'string' },
    profile: { kind: 'string' },
    startedAt: { kind: 'timestamp' },
  }
  const afterwards = draft !== undefined && draft.section !== 'steps'
  const failed: Record<string, Type> = { failedStep: { kind: 'string' }, error: { kind: 'string' } }
  return recordType('field of run', afterwards ? { ...always, ...failed } : always, {
    explainMissing: (name) =>
      Object.hasOwn(failed, name)
        ? { code: 'unknown-field', message: `run.${name} is known only in onFailure and finally` }
        : undefined,
  })
}

function envType(env: readonly string[]): Type {
  const fields = Object.fromEntries(env.map((name) => [name, { kind: 'string' } as const]))
  return recordType('declared environment variable', fields, {
    explainMissing: (name) => {
      const hint = closestHint(name, env) ?? `add it at the top: env: [${[...env, name].join(', ')}]`
      return { code: 'undeclared-env', message: `${name} is not declared under env`, hint }
    },
  })
}
